// SPDX-License-Identifier: Apache-2.0
//
// StartTime: a time at which something is to begin, as people write it.
//
// Form     `HH:MM` (the next one), `today HH:MM`, `tomorrow HH:MM`, `YYYY-MM-DD HH:MM`, with a blank
//          or a `T` between day and time.
// Never    reads a clock: it becomes a point in time when the present one is handed in.

/// A time to start at.
public struct StartTime: Hashable, Sendable {
  private enum Day: Hashable, Sendable {
    case next
    /// So many days from today.
    case ahead(Int)
    /// Days since 1970-01-01.
    case date(Int)
  }

  private let day: Day
  private let time: TimeOfDay

  /// Reads a text; nil when it has none of the forms or there is no such day.
  public init?(parsing text: String) {
    var words = text.split(separator: " ")
    if words.count == 1 { words = text.split(separator: "T") }
    guard let last = words.last, words.count <= 2, let time = TimeOfDay(parsing: last),
      let day = words.count == 1 ? .next : Self.day(words[0].lowercased())
    else { return nil }
    self.day = day
    self.time = time
  }

  private static func day(_ word: String) -> Day? {
    switch word {
    case "today": .ahead(0)
    case "tomorrow": .ahead(1)
    default: LocalTime.dayNumber(parsing: word).map { .date($0) }
    }
  }

  /// The point in time that is meant.
  public func resolved(now: WallTime, local: LocalClock) -> WallTime {
    switch day {
    case .next: .next(time, after: now, local: local)
    case .ahead(let days): .showing(day: local(now).dayNumber + days, time, local: local)
    case .date(let day): .showing(day: day, time, local: local)
    }
  }
}

extension LocalTime {
  /// The day that `YYYY-MM-DD` names, as days since 1970-01-01; nil when there is none such.
  static func dayNumber(parsing text: some StringProtocol) -> Int? {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [4, 2, 2],
      parts.joined().utf8.allSatisfy({ (48...57).contains($0) }),
      let year = Int(parts[0]), let month = Int(parts[1]), let day = Int(parts[2]),
      (1...12).contains(month)
    else { return nil }
    let marchYear = month > 2 ? year : year - 1
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
    let number = marchYear * 365 + leapDays + dayOfYear - 719_468
    // A day that the month does not have comes out as one of the next.
    let shown = LocalTime(WallTime(seconds: Int64(number) * 86_400))
    return shown.month == month && shown.day == day ? number : nil
  }
}
