// SPDX-License-Identifier: Apache-2.0
//
// Options+Values: the value of each option, from text to a checked value.
//
// Pure; any thread. Each function either returns a usable value or says which would be one.

import Transfers

extension Options {
  /// Header fields that winch sets itself; a second one would spoil the ranges.
  private static let ownHeaders: Set = [
    "range", "if-range", "accept-encoding", "content-length", "transfer-encoding", "connection",
  ]

  /// A path, not empty.
  static func path(_ value: String, for name: OptionName) throws(OptionError) -> String {
    guard !value.isEmpty else { throw .badValue(name, value, advice: "give a path") }
    return value
  }

  /// A whole number within bounds.
  static func number(
    _ value: String,
    in bounds: ClosedRange<Int>,
    for name: OptionName
  ) throws(OptionError) -> Int {
    guard let number = Int(value), bounds.contains(number) else {
      let advice = "give a whole number from \(bounds.lowerBound) to \(bounds.upperBound)"
      throw .badValue(name, value, advice: advice)
    }
    return number
  }

  /// `auto`, or 1 to 16.
  static func connections(_ value: String) throws(OptionError) -> ConnectionLimit {
    if value == "auto" { return .adaptive }
    guard let number = try? number(value, in: 1...16, for: .connections) else {
      throw .badValue(.connections, value, advice: "give a whole number from 1 to 16, or auto")
    }
    return .fixed(number)
  }

  /// `Name: value`.
  static func header(_ line: String) throws(OptionError) -> HeaderField {
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      throw .badValue(.header, line, advice: "write it as 'Name: value'")
    }
    let name = String(line[..<colon])
    let value = trimmed(line[line.utf8.index(after: colon)...])
    guard let field = HeaderField(name: name, value: value) else {
      throw .badValue(.header, line, advice: "a header is one line of text, no blanks in its name")
    }
    guard !ownHeaders.contains(name.lowercased()) else {
      throw .badValue(.header, line, advice: "winch sets this header itself; leave it out")
    }
    return field
  }

  /// `ALGO:HEX`.
  static func checksum(_ value: String) throws(OptionError) -> Checksum {
    do {
      return try Checksum(parsing: value)
    } catch {
      throw .badValue(.checksum, value, advice: error.remedy)
    }
  }

  /// One of the words for colours.
  static func color(_ value: String) throws(OptionError) -> ColorChoice {
    guard let choice = ColorChoice(rawValue: value) else {
      throw .badValue(.color, value, advice: "give auto, always or never")
    }
    return choice
  }

  /// A rate, or a timetable of rates.
  static func limit(_ value: String) throws(OptionError) -> Timetable {
    do {
      return try Timetable(parsing: value)
    } catch {
      throw .badValue(.limitRate, value, advice: error.remedy)
    }
  }

  /// A time to start at.
  static func startTime(_ value: String) throws(OptionError) -> StartTime {
    guard let time = StartTime(parsing: value) else {
      let advice = "give a time such as 22:00, 'tomorrow 06:00' or '2030-01-31 06:00'"
      throw .badValue(.startAt, value, advice: advice)
    }
    return time
  }

  /// Hours of the day.
  static func hours(_ value: String) throws(OptionError) -> DailyHours {
    guard let hours = DailyHours(parsing: value) else {
      let advice = "give two different times such as 22:00-06:00"
      throw .badValue(.onlyBetween, value, advice: advice)
    }
    return hours
  }

  /// Bytes of a day.
  static func quota(_ value: String) throws(OptionError) -> ByteCount {
    guard let quota = ByteCount(parsing: value) else {
      throw .badValue(.quota, value, advice: "give a size such as 800M or 20G")
    }
    return quota
  }

  /// Bytes a second.
  static func rate(_ value: String, for name: OptionName) throws(OptionError) -> ByteRate {
    guard let rate = ByteRate(parsing: value) else {
      let advice = "give bytes a second such as 800K, 2.5M or 1GiB; without the option no limit"
      throw .badValue(name, value, advice: advice)
    }
    return rate
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let isBlank = { (byte: Unicode.Scalar) in byte == " " || byte == "\t" }
    let start = text.unicodeScalars.drop(while: isBlank)
    return String(String.UnicodeScalarView(start.reversed().drop(while: isBlank).reversed()))
  }
}
