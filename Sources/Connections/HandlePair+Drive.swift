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

  /// How often an FTP server's control connection is looked at: as long as TLS of the data connection
  /// does not stand, which it does after the next commands only, libcurl 7.88 does not wake for it.
  private static let replyAfter = Duration.milliseconds(20)

  /// Carries out a request with all its redirects.
  func carryOut(
    _ request: ConnectionRequest,
    _ exchange: Exchange,
    _ flag: CancelFlag
  ) -> Result<ConnectionReport, ConnectionError> {
    origins = [request.link.origin]
    let result = carryOutHops(request, exchange, flag)
    if !leavesConnection(exchange, result) { origins = [] }
    return result
  }

  /// Whether a connection may stand that the next request can use.
  ///
  /// Where none does, another pair that has one is better: idle ones count where a server lets in
  /// only so many.
  private func leavesConnection(
    _ exchange: Exchange,
    _ result: Result<ConnectionReport, ConnectionError>
  ) -> Bool {
    if exchange.window != nil { return false }
    if exchange.file != nil { return !multi.sockets.isEmpty }
    return if case .success(let report) = result { !report.endedEarly } else { false }
  }

  private func carryOutHops(
    _ request: ConnectionRequest,
    _ exchange: Exchange,
    _ flag: CancelFlag
  ) -> Result<ConnectionReport, ConnectionError> {
    do throws(ConnectionError) {
      try settle(request)
      easy.attach(exchange)
      if let window = exchange.window { easy.attach(window) }
      while true {
        let code = try logInAndHop(request, exchange, flag)
        if isUnread(code, exchange), isDirectory(request, flag) {
          throw .failure(Failure(.isDirectory, detail: "the server lists it"))
        }
        let isAnswered = exchange.takeEnd(code)
        if case .error(let error) = exchange.ending { throw error }
        guard exchange.isRedirected else {
          remember(exchange.trail.current.origin)
          if code != CURLE_OK || !exchange.trail.passed.isEmpty { settled = nil }
          return .success(try report(isAnswered ? CURLE_OK : code, exchange))
        }
        try exchange.followRedirect()
      }
    } catch {
      settled = nil
      return .failure(error)
    }
  }

  /// Whether an SSH server opened what was asked for, and then gave no byte of it: the connection
  /// broke, or it is a directory.
  private func isUnread(_ code: CURLcode, _ exchange: Exchange) -> Bool {
    guard code == CURLE_SSH, exchange.ending == nil, exchange.head == nil else { return false }
    return exchange.file?.isFTP == false && !easy.hasWords
  }

  /// Whether there is a directory of that name: with a slash at the end it is listed.
  private func isDirectory(_ request: ConnectionRequest, _ flag: CancelFlag) -> Bool {
    var asked = request
    asked.link = request.link.asDirectory
    asked.range = .whole
    let listing = Exchange(
      asked,
      flag: flag,
      pair: self,
      beginnings: Beginnings(),
      onHead: { _ in .reject },
      onChunk: { _ in .stop }
    )
    do throws(ConnectionError) {
      try settle(asked)
      easy.attach(listing)
      return try logInAndHop(asked, listing, flag) == CURLE_OK || listing.head != nil
    } catch {
      return listing.head != nil
    }
  }

  /// Sets the options, or only those that differ when the last request went well and was alike.
  private func settle(_ request: ConnectionRequest) throws(ConnectionError) {
    let lasting = LastingOptions(request, hasNetrc: netrc.isThere)
    if let lasting, lasting == settled { return easy.renew(request) }
    settled = nil
    try easy.apply(request, userAgent: userAgent, netrc)
    settled = lasting
  }

  private func remember(_ origin: Origin) {
    if !origins.contains(origin) { origins.append(origin) }
  }

  /// One hop; an SSH server is offered one key after the other.
  private func logInAndHop(
    _ request: ConnectionRequest,
    _ exchange: Exchange,
    _ flag: CancelFlag
  ) throws(ConnectionError) -> CURLcode {
    guard request.link.origin.scheme == .sftp else { return try hop(request, exchange, flag) }
    for login in SSHLogin.ways(for: request.link) {
      let code = try hop(request, exchange, flag, login)
      guard code == CURLE_LOGIN_DENIED else { return code }
    }
    throw .failure(Failure(.needsLogin, detail: SSHKeys.inHome().tried))
  }

  /// One request and its answer; returns how libcurl ended it.
  private func hop(
    _ request: ConnectionRequest,
    _ exchange: Exchange,
    _ flag: CancelFlag,
    _ login: SSHLogin? = nil
  ) throws(ConnectionError) -> CURLcode {
    let link = exchange.trail.current
    let fields = FieldList(request, for: link.origin)
    easy.applyHop(link, of: request, fields: fields)
    if exchange.file != nil { easy.applyFile(request, exchange, multi.sockets) }
    if let login { easy.apply(login) }
    multi.sockets.begin()
    guard multi.add(easy) else { throw broken }
    defer { multi.remove(easy) }
    do throws(ConnectionError) {
      return try drive(exchange, Patience(request.timeouts, now: .now), flag)
    } catch {
      if exchange.file != nil { interrupt() }
      throw error
    }
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
      if let code = multi.result {
        // Then a call within libcurl was cut short.
        if code != CURLE_OK, exchange.ending == nil, flag.isRaised { throw .cancelled }
        return code
      }
      if exchange.activity == activity { exchange.fallQuiet() }
      activity = exchange.activity
      // A verdict given while held bytes were let go does not end libcurl's own loop.
      if exchange.ending != nil { return CURLE_WRITE_ERROR }
      if flag.isRaised { throw .cancelled }
      let now = Moment.now
      if exchange.isRedirectSlow(at: now) { return CURLE_WRITE_ERROR }
      let hasSent = exchange.file == nil ? easy.hasSent : easy.isConnected
      let rest = try patience.next(exchange, hasSent: hasSent, now: now)
      if exchange.pausedUntil != nil, rest <= .zero {
        resume(exchange)
      } else {
        multi.wait(atMost: min(rest, longestSleep(exchange)))
      }
    }
  }

  private func longestSleep(_ exchange: Exchange) -> Duration {
    if exchange.isBusy || exchange.isRedirected { return Self.quietAfter }
    return exchange.file?.isFTP == true && exchange.head == nil ? Self.replyAfter : .seconds(600)
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
    guard endedEarly || code == CURLE_OK else { throw .failure(failure(code, exchange)) }
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

  /// What can be told of an exchange that is over, however it ended.
  func trace(_ exchange: Exchange) -> ConnectionTrace {
    ConnectionTrace(
      status: exchange.head?.status,
      received: ByteCount(exchange.received),
      timings: easy.timings,
      reused: easy.connectCount == 0
    )
  }

  private func failure(_ code: CURLcode, _ exchange: Exchange) -> Failure {
    guard let file = exchange.file else { return easy.failure(code) }
    return easy.failure(code, file, exchange.trail.current.origin)
  }

  private var broken: ConnectionError {
    .failure(Failure(.unexpected, detail: "libcurl's multi interface failed"))
  }
}

extension Link {
  /// The same with a slash at its end.
  fileprivate var asDirectory: Link {
    Link(text: text + "/", origin: origin, path: path + "/", login: login)
  }
}
