// SPDX-License-Identifier: Apache-2.0
//
// LocalTime: a wall-clock time as the user's clock shows it.
// Formula  days since 1970-01-01 to year, month, day of the Gregorian calendar, with years that
//          begin in March (RFC 3339 appendix A has the calendar).
//          Example: 86_400 seconds, offset 3_600 are 2 January 1970, 01:00:00.
// Never    asks for the time zone; the offset is handed in.

/// A day of the week, beginning with Monday (ISO 8601).
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
  case monday, tuesday, wednesday, thursday, friday, saturday, sunday
}

/// A wall-clock time in the user's time zone.
public struct LocalTime: Hashable, Sendable {
  /// The year.
  public let year: Int
  /// The month, 1 to 12.
  public let month: Int
  /// The day of the month, from 1.
  public let day: Int
  /// The hour, 0 to 23.
  public let hour: Int
  /// The minute.
  public let minute: Int
  /// The second.
  public let second: Int
  /// Days since 1970-01-01 on the user's calendar.
  public let dayNumber: Int

  /// Makes the local time of `time` at `offset` seconds east of UTC (`tm_gmtoff`).
  public init(_ time: WallTime, offset: Int = 0) {
    let seconds = time.seconds + Int64(offset)
    let days = Int((Double(seconds) / 86_400).rounded(.down))
    dayNumber = days
    let rest = Int(seconds - Int64(days) * 86_400)
    (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  /// The day of the week; the first day of 1970 was a Thursday.
  public var weekday: Weekday {
    Weekday(rawValue: ((dayNumber + 3) % 7 + 7) % 7) ?? .monday
  }

  /// The minute of the day, 0 to 1439.
  public var minuteOfDay: Int { hour * 60 + minute }

  /// Whether both lie on the same day.
  public func isSameDay(as other: LocalTime) -> Bool {
    dayNumber == other.dayNumber
  }
}
