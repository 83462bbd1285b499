// SPDX-License-Identifier: Apache-2.0
//
// Patience: how long one hop may stay silent, by the phase it is in.
//
// Holds    when the request was sent and when something last arrived.
// Never    reads a clock: the time is handed in. libcurl itself times connecting, to http up to TLS,
//          to the others up to the login.

internal import CCurl
internal import Transfers

struct Patience {
  /// Only a bound for the sleep: libcurl wakes for its own timers.
  private static let whileConnecting = Duration.seconds(60)

  private let timeouts: Timeouts
  private let startedAt: Moment
  private var sentAt: Moment?
  private var lastActivity: UInt64 = 0
  private var lastArrival: Moment

  init(_ timeouts: Timeouts, now: Moment) {
    self.timeouts = timeouts
    startedAt = now
    lastArrival = now
  }

  /// How long to sleep at most.
  ///
  /// - Parameters:
  ///   - exchange: What has arrived so far.
  ///   - hasSent: Whether the request is on its way; for servers without heads, whether TCP stands.
  ///   - now: The time.
  /// - Returns: The time until the next deadline.
  /// - Throws: The failure when a deadline has passed.
  mutating func next(
    _ exchange: Exchange,
    hasSent: Bool,
    now: Moment
  ) throws(ConnectionError) -> Duration {
    note(exchange, now)
    if let resume = exchange.pausedUntil {
      lastArrival = now
      return resume - now
    }
    guard exchange.head != nil || exchange.isRedirected else {
      return try untilHead(hasSent: hasSent, isFile: exchange.file != nil, now)
    }
    return try left(of: timeouts.silence, since: lastArrival, now, "no data for")
  }

  private mutating func note(_ exchange: Exchange, _ now: Moment) {
    guard exchange.activity != lastActivity else { return }
    lastActivity = exchange.activity
    lastArrival = now
  }

  private mutating func untilHead(
    hasSent: Bool,
    isFile: Bool,
    _ now: Moment
  ) throws(ConnectionError) -> Duration {
    guard hasSent else {
      if !isFile { return Self.whileConnecting }
      return try left(of: timeouts.connect, since: startedAt, now, "no connection within")
    }
    let start = sentAt ?? now
    sentAt = start
    let limit = isFile ? timeouts.untilBytes : timeouts.firstByte
    return try left(of: limit, since: start, now, "no answer within")
  }

  private func left(
    of timeout: Duration,
    since start: Moment,
    _ now: Moment,
    _ words: String
  ) throws(ConnectionError) -> Duration {
    let rest = timeout - (now - start)
    if rest > .zero { return rest }
    let detail = "\(words) \(shown(timeout))"
    let code = Int(CURLE_OPERATION_TIMEDOUT.rawValue)
    throw .failure(Failure(.timedOut, code: code, detail: detail))
  }

  private func shown(_ timeout: Duration) -> String {
    let milliseconds = timeout.milliseconds
    return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
  }
}
