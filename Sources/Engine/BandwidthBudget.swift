// SPDX-License-Identifier: Apache-2.0
//
// BandwidthBudget: keeps the bytes of all its connections below a rate, together.
//
// Formula  One virtual queue: each chunk of n bytes occupies n ÷ rate seconds after the one before;
//          whoever brought it pauses until its end. An idle line saves up at most 50 ms of credit.
//          Example: 1 MB/s, chunks of 64 KB: the first is free, the next waits 64 ms.
// Threads  any; one mutex, held for a few instructions.

import Synchronization
public import Transfers

/// A rate shared by everyone who asks it.
public final class BandwidthBudget: Sendable {
  private struct State {
    var rate: ByteRate?
    var busyUntil = Moment(nanoseconds: .min / 2)
  }

  private let state: Mutex<State>
  private static let credit = Duration.milliseconds(50)

  /// Makes a budget; nil means no limit.
  public init(rate: ByteRate?) {
    state = Mutex(State(rate: rate))
  }

  /// The rate, nil for none; may be changed at any time.
  public var rate: ByteRate? {
    get { state.withLock { $0.rate } }
    set { state.withLock { $0 = State(rate: newValue) } }
  }

  /// Accounts for bytes that arrived.
  ///
  /// - Parameters:
  ///   - count: How many, at least 0.
  ///   - now: The time.
  /// - Returns: How long the connection should read nothing; nil when it may go on.
  public func spend(_ count: Int, at now: Moment) -> Duration? {
    state.withLock { state in
      guard let rate = state.rate, rate.bytesPerSecond > 0 else { return nil }
      let start = max(state.busyUntil, now + .nanoseconds(-Self.credit.nanoseconds))
      state.busyUntil = start + .seconds(Double(count) / Double(rate.bytesPerSecond))
      return state.busyUntil > now ? state.busyUntil - now : nil
    }
  }
}
