// SPDX-License-Identifier: Apache-2.0
//
// Schedule: when a transfer may run, and until when it has to wait.
//
// Holds    nothing but the rule; what the clock shows at a time is asked of whoever knows the zone.
//          A time that the clock leaves out (summer time begins) counts as over right after the
//          gap; one that it shows twice counts the first time.
// Never    reads a clock. An answer is for now: whoever waits asks again from time to time, so that
//          a clock that is put right, or another time zone, is noticed.

/// What the user's clock shows at a time.
public typealias LocalClock = @Sendable (WallTime) -> LocalTime

/// Why a transfer waits for a time, and which.
public struct Hold: Hashable, Sendable {
  /// What has to come.
  public enum Reason: String, Hashable, Sendable {
    /// The time it was told to start at.
    case start
    /// The hours it may run in.
    case hours
    /// Another day, since the bytes of this one are used up.
    case quota
  }

  /// Why.
  public let reason: Reason
  /// When it is over, as far as is known now.
  public let until: WallTime

  /// Makes a hold.
  public init(_ reason: Reason, until: WallTime) {
    self.reason = reason
    self.until = until
  }
}

/// When a transfer may run.
public struct Schedule: Hashable, Sendable {
  /// Not before.
  public var start: WallTime?
  /// Only in these hours.
  public var hours: DailyHours?

  /// Makes a schedule; without anything it may always run.
  public init(start: WallTime? = nil, hours: DailyHours? = nil) {
    self.start = start
    self.hours = hours
  }

  /// Why it must wait at a time; nil when it may run.
  public func hold(at now: WallTime, local: LocalClock) -> Hold? {
    if let start, now < start { return Hold(.start, until: start) }
    guard let hours, !hours.contains(local(now)) else { return nil }
    return Hold(.hours, until: .next(hours.from, after: now, local: local))
  }
}

/// Hours of every day, which may pass midnight.
public struct DailyHours: Hashable, Sendable {
  /// The first minute.
  public let from: TimeOfDay
  /// The first minute that is too late.
  public let to: TimeOfDay

  /// Reads `HH:MM-HH:MM`; nil when it is something else or both are the same.
  public init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let from = TimeOfDay(parsing: parts[0]),
      let to = TimeOfDay(parsing: parts[1]), from != to
    else { return nil }
    self.from = from
    self.to = to
  }

  /// As `HH:MM-HH:MM`.
  public var text: String { "\(from.text)-\(to.text)" }

  /// Whether a time lies in them.
  public func contains(_ time: LocalTime) -> Bool {
    let minute = time.minuteOfDay
    let isAfter = minute >= from.minute
    let isBefore = minute < to.minute
    return from.minute < to.minute ? isAfter && isBefore : isAfter || isBefore
  }
}

extension WallTime {
  /// The time at which the clock shows a minute of a day.
  ///
  /// - Parameters:
  ///   - day: Days since 1970-01-01 on the user's calendar.
  ///   - minute: The minute of that day.
  ///   - local: The user's clock.
  /// - Returns: The time; at most an hour or so off when the clock leaves that minute out.
  static func showing(day: Int, _ minute: TimeOfDay, local: LocalClock) -> WallTime {
    let target = Int64(day) * 86_400 + Int64(minute.minute) * 60
    var guess = target
    for _ in 0..<3 {
      let time = local(WallTime(seconds: guess))
      let shown = Int64(time.dayNumber) * 86_400 + Int64(time.minuteOfDay * 60 + time.second)
      if shown == target { break }
      guess += target - shown
    }
    return WallTime(seconds: guess)
  }

  /// The next time at which the clock shows a time of day.
  public static func next(
    _ time: TimeOfDay,
    after now: WallTime,
    local: LocalClock
  ) -> WallTime {
    let today = local(now).dayNumber
    let soon = showing(day: today, time, local: local)
    return soon > now ? soon : showing(day: today + 1, time, local: local)
  }

  /// The next midnight of the user's clock.
  public static func nextDay(after now: WallTime, local: LocalClock) -> WallTime {
    let midnight = showing(day: local(now).dayNumber + 1, .midnight, local: local)
    return midnight > now ? midnight : WallTime(seconds: now.seconds + 3600)
  }
}
