// SPDX-License-Identifier: Apache-2.0
//
// How a pair of handles carries out one request, hop by hop.
//
// Threads  blocks the run's thread; sleeps only in curl_multi_poll, which a cancel wakes.
// Holds    what a run leaves in the handles is forgotten before the next one begins.

internal import CCurl
internal import Transfers

extension HandlePair {
  /// How long nothing must come before the caller is told to keep no bytes back.
  private static let quietAfter = Duration.milliseconds(200)

  /// Carries out a request with all its redirects.
  func carryOut(
    _ request: ConnectionRequest,
    _ exchange: Exchange,
    _ flag: CancelFlag
  ) -> Result<ConnectionReport, ConnectionError> {
    origins = [request.link.origin]
    do throws(ConnectionError) {
      try easy.apply(request, userAgent: userAgent)
      easy.attach(exchange)
      while true {
        let code = try hop(request, exchange, flag)
        if case .error(let error) = exchange.ending { throw error }
        guard exchange.isRedirected else {
          remember(exchange.trail.current.origin)
          return .success(try report(code, exchange))
        }
        try exchange.followRedirect()
      }
    } catch {
      return .failure(error)
    }
  }

  private func remember(_ origin: Origin) {
    if !origins.contains(origin) { origins.append(origin) }
  }

  /// One request and its answer; returns how libcurl ended it.
  private func hop(
    _ request: ConnectionRequest,
    _ exchange: Exchange,
    _ flag: CancelFlag
  ) throws(ConnectionError) -> CURLcode {
    let link = exchange.trail.current
    let fields = FieldList(request, for: link.origin)
    easy.applyHop(link, of: request, fields: fields)
    guard multi.add(easy) else { throw broken }
    defer { multi.remove(easy) }
    return try drive(exchange, Patience(request.timeouts, now: .now), flag)
  }

  private func drive(
    _ exchange: Exchange,
    _ start: Patience,
    _ flag: CancelFlag
  ) throws(ConnectionError) -> CURLcode {
    var patience = start
    var activity = exchange.activity
    while true {
      guard multi.perform() else { throw broken }
      if let code = multi.result { return code }
      if exchange.activity == activity { exchange.fallQuiet() }
      activity = exchange.activity
      // A verdict given while held bytes were let go does not end libcurl's own loop.
      if exchange.ending != nil { return CURLE_WRITE_ERROR }
      if flag.isRaised { throw .cancelled }
      let now = Moment.now
      let rest = try patience.next(exchange, hasSent: easy.hasSent, now: now)
      if exchange.pausedUntil != nil, rest <= .zero {
        resume(exchange)
      } else {
        multi.wait(atMost: exchange.isBusy ? min(rest, Self.quietAfter) : rest)
      }
    }
  }

  private func resume(_ exchange: Exchange) {
    let wasHeld = exchange.isHeld
    exchange.endPause()
    if wasHeld { easy.resume() }
  }

  private func report(
    _ code: CURLcode,
    _ exchange: Exchange
  ) throws(ConnectionError) -> ConnectionReport {
    let endedEarly = exchange.hasEnough
    guard endedEarly || code == CURLE_OK else { throw .failure(easy.failure(code)) }
    guard let head = exchange.head else {
      throw .failure(Failure(.connectionLost, detail: "the connection ended within the head"))
    }
    return ConnectionReport(
      head: head,
      received: ByteCount(exchange.received),
      timings: easy.timings,
      remoteAddress: easy.remoteAddress,
      reused: easy.connectCount == 0,
      endedEarly: endedEarly
    )
  }

  private var broken: ConnectionError {
    .failure(Failure(.unexpected, detail: "libcurl's multi interface failed"))
  }
}
