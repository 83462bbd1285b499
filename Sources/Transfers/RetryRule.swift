// SPDX-License-Identifier: Apache-2.0
//
// RetryRule: how long to wait before the next try, and when to give up.
//
// Formula  pause(n) = min(cap, first · 2^(n-1)) · (0.75 + 0.5 · jitter), n = tries without progress.
//          With first 1 s and cap 60 s: about 1, 2, 4, 8, 16 s. A server's Retry-After is obeyed
//          when it is longer, up to `longestAsked`.
// Never    reads a clock or rolls dice: the jitter is handed in.

/// Growing pauses between tries that made no progress.
public struct RetryRule: Hashable, Sendable {
  /// The first pause.
  public var first: Duration
  /// The longest pause of our own, before jitter makes it up to a quarter longer or shorter.
  public var cap: Duration
  /// The longest pause a server may ask for.
  public var longestAsked: Duration
  /// How many tries without progress are made before giving up.
  public var limit: Int

  /// Makes a rule.
  public init(
    first: Duration = .seconds(1),
    cap: Duration = .seconds(60),
    longestAsked: Duration = .seconds(3600),
    limit: Int = 6
  ) {
    self.first = first
    self.cap = cap
    self.longestAsked = longestAsked
    self.limit = limit
  }

  /// The pause after the `tries`-th try in a row without progress.
  ///
  /// - Parameters:
  ///   - tries: Tries that made no progress, from 1.
  ///   - asked: The server's Retry-After, when it sent one.
  ///   - jitter: A random number in 0 ..< 1.
  /// - Returns: The pause, or nil when it is time to give up.
  public func pause(after tries: Int, asked: Duration?, jitter: Double) -> Duration? {
    guard tries < limit else { return nil }
    let doublings = min(max(0, tries - 1), 20)
    let grown = min(cap.inSeconds, first.inSeconds * Double(1 << doublings))
    let own = Duration.seconds(grown * (0.75 + 0.5 * jitter))
    guard let asked else { return own }
    return max(own, min(asked, longestAsked))
  }
}
