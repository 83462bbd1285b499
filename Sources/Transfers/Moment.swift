// SPDX-License-Identifier: Apache-2.0
//
// Moment and WallTime: the two clocks as values. Whoever needs the time is handed one of them;
// nothing in this target reads a clock.
//
// Holds    nanoseconds on the monotonic clock; whole seconds on the wall clock.
// Never    compares the two with each other.

/// A point on the monotonic clock, for measuring and for deadlines.
public struct Moment: Hashable, Comparable, Sendable {
  /// Nanoseconds since an arbitrary start, the same for the whole process.
  public let nanoseconds: Int64

  /// Makes a moment `nanoseconds` after the clock's start.
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// Orders moments by time.
  public static func < (left: Moment, right: Moment) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The moment `duration` later; stops at either end of the clock.
  public static func + (left: Moment, duration: Duration) -> Moment {
    let added = duration.nanoseconds
    let (sum, overflow) = left.nanoseconds.addingReportingOverflow(added)
    return Moment(nanoseconds: overflow ? (added < 0 ? .min : .max) : sum)
  }

  /// The time between two moments; negative when `left` is earlier.
  public static func - (left: Moment, right: Moment) -> Duration {
    .nanoseconds(left.nanoseconds) - .nanoseconds(right.nanoseconds)
  }
}

/// A point on the wall clock, for people and for what is remembered.
public struct WallTime: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01 00:00 UTC.
  public let seconds: Int64

  /// Makes a time `seconds` after the epoch.
  public init(seconds: Int64) {
    self.seconds = seconds
  }

  /// Orders times.
  public static func < (left: WallTime, right: WallTime) -> Bool {
    left.seconds < right.seconds
  }
}

extension Duration {
  /// The duration in whole nanoseconds; saturates beyond 292 years, forward and back.
  public var nanoseconds: Int64 {
    let (seconds, rest) = components
    let (whole, tooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflow) = whole.addingReportingOverflow(rest / 1_000_000_000)
    return tooLong || overflow ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration as a floating-point number of seconds.
  public var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
