// SPDX-License-Identifier: Apache-2.0
//
// Timetable: a rate for every minute of the week.
//
// Form     one RATE, or entries between blanks or semicolons: `[DAY[-DAY]-]HH:MM,RATE`. RATE is a
//          rate or `off`; DAY a weekday, whole or its first three letters; without one the entry
//          holds on every day. An entry is in force until the next one, over midnight and over the
//          end of the week; of two for the same minute the later one wins.
//          Example: `08:00,512K 12:00,10M 13:00,512K 18:00,30M 23:00,off` or
//          `Mon-Fri-08:00,1M 19:00,off`.
// Source   rclone's `--bwlimit`, but for ranges of weekdays, and a bare number is bytes here.
// Never    reads a clock; a time that the clock leaves out or shows twice needs no rule, since the
//          rate follows from what the clock shows.

/// Rates by weekday and time of day.
public struct Timetable: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    /// Since Monday, 00:00.
    let minute: Int
    /// nil for no limit.
    let rate: ByteRate?
  }

  /// As it was written, with one blank between entries.
  public let text: String
  /// In order, each minute once, at least one.
  private let entries: [Entry]

  private static let minutesOfDay = 24 * 60
  private static let minutesOfWeek = 7 * minutesOfDay

  /// The same rate all the time.
  public init(_ rate: ByteRate) {
    text = rate.text
    entries = [Entry(minute: 0, rate: rate)]
  }

  /// Reads a rate or a timetable.
  ///
  /// - Parameter text: As the heading says.
  /// - Throws: `TimetableError` with a remedy.
  public init(parsing text: String) throws(TimetableError) {
    let words = text.split { $0 == " " || $0 == ";" || $0 == "\t" }.map(String.init)
    guard let first = words.first else { throw .empty }
    self.text = words.joined(separator: " ")
    if !text.contains(",") {
      // A rate may have a blank before its unit.
      let rate = try Self.rate(words.joined(), in: words.count == 1 ? first : self.text)
      entries = [Entry(minute: 0, rate: rate)]
      return
    }
    var rates: [Int: ByteRate?] = [:]
    for word in words {
      let (minutes, rate) = try Self.entry(word)
      for minute in minutes { rates.updateValue(rate, forKey: minute) }
    }
    entries = rates.map { Entry(minute: $0.key, rate: $0.value) }.sorted { $0.minute < $1.minute }
  }

  /// Whether the rate never changes.
  public var isConstant: Bool { Set(entries.map(\.rate)).count == 1 }

  /// The rate in force at a time; nil for no limit.
  public func rate(at time: LocalTime) -> ByteRate? {
    let minute = Self.minute(time)
    return (entries.last { $0.minute <= minute } ?? entries[entries.count - 1]).rate
  }

  /// How many minutes after a time the rate changes; nil when it never does.
  public func minutesToChange(after time: LocalTime) -> Int? {
    let (now, rate) = (Self.minute(time), rate(at: time))
    let week = Self.minutesOfWeek
    return entries.filter { $0.rate != rate }.map { ($0.minute - now + week) % week }.min()
  }

  /// How many seconds after a time it is worth looking again: when the rate changes, and at the next
  /// full hour, since clocks may be put forward or back then; nil when it never changes.
  public func secondsToLook(after time: WallTime, local: (WallTime) -> LocalTime) -> Int64? {
    guard let minutes = minutesToChange(after: local(time)) else { return nil }
    return min(Int64(minutes) * 60 - time.seconds % 60, 3600 - time.seconds % 3600)
  }

  private static func minute(_ time: LocalTime) -> Int {
    time.weekday.rawValue * minutesOfDay + time.minuteOfDay
  }
}

// MARK: - Parsing

extension Timetable {
  /// One entry: the minutes of the week at which its rate begins.
  private static func entry(
    _ word: String
  ) throws(TimetableError) -> (minutes: [Int], rate: ByteRate?) {
    let halves = word.split(separator: ",", omittingEmptySubsequences: false)
    guard halves.count == 2 else { throw .notAnEntry(word) }
    var parts = halves[0].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard let minute = parts.popLast().flatMap(TimeOfDay.init(parsing:))?.minute
    else { throw .notATime(word) }
    let days = try days(parts, word)
    return (days.map { $0.rawValue * minutesOfDay + minute }, try rate(String(halves[1]), in: word))
  }

  /// The days that none, one, or the first and the last name.
  private static func days(
    _ names: [String],
    _ word: String
  ) throws(TimetableError) -> [Weekday] {
    guard !names.isEmpty else { return Weekday.allCases }
    let found = names.compactMap(Weekday.init(named:))
    guard found.count == names.count, found.count <= 2 else { throw .notAWeekday(word) }
    let (first, last) = (found[0].rawValue, found[found.count - 1].rawValue)
    let count = (last - first + 7) % 7
    return (0...count).compactMap { Weekday(rawValue: (first + $0) % 7) }
  }

  private static func rate(
    _ text: String,
    in word: String
  ) throws(TimetableError) -> ByteRate? {
    if text.lowercased() == "off" { return nil }
    guard let rate = ByteRate(parsing: text) else { throw .notARate(word) }
    return rate
  }
}

extension Weekday {
  /// A day by its English name or the first three letters of it.
  init?(named name: String) {
    let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
    let name = name.lowercased()
    guard let index = names.firstIndex(where: { $0 == name || $0.prefix(3) == name })
    else { return nil }
    self.init(rawValue: index)
  }
}

/// Why a text is no timetable; holds the entry it is about.
public enum TimetableError: Error, Hashable, Sendable {
  case empty
  case notAnEntry(String)
  case notATime(String)
  case notAWeekday(String)
  case notARate(String)

  /// What to write instead, for people; the entry has to be made harmless before it is shown.
  public var remedy: String {
    switch self {
    case .empty:
      "give a rate such as 800K, or a timetable such as '08:00,512K 18:00,off'"
    case .notAnEntry(let word):
      "'\(word)' is not TIME,RATE; write it like 08:00,512K"
    case .notATime(let word):
      "'\(word)' has no time from 00:00 to 23:59; write it like 08:00,512K"
    case .notAWeekday(let word):
      "'\(word)' has an unknown day; write it like Mon-08:00,512K or Mon-Fri-08:00,512K"
    case .notARate(let word):
      "in '\(word)' there is no rate; give bytes a second such as 800K, 2.5M or 1GiB, or off"
    }
  }
}
