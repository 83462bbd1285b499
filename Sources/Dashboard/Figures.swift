// SPDX-License-Identifier: Apache-2.0
//
// Figures: every number as the screen shows it, in one place.
// Formula  three significant digits, rounded down, in units of 1024; the unit is the first in which
//          the number is below 1000. Example: 8_608_809 bytes are `8.21 MiB`.
// Never    wider than its column: sizes 8 cells, rates 10, times 6, percents 4.

import Transfers

/// Numbers as the screen shows them.
enum Figures {
  /// What stands where a number is not known.
  static let unknown = "--"

  private static let units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]

  /// At most 8 cells, such as `1.21 GiB`, `812 MiB`, `0 B`.
  static func size(_ count: ByteCount) -> String {
    let scaled = Scaled(count.bytes)
    return "\(scaled.digits(3)) \(units[scaled.power])"
  }

  /// At most 10 cells, such as `8.21 MiB/s`.
  static func rate(_ rate: ByteRate) -> String {
    size(ByteCount(rate.bytesPerSecond)) + "/s"
  }

  /// A rate for narrow columns: `8.2M/s` in 6 cells with two digits, `23.6M/s` with three.
  static func narrowRate(_ rate: ByteRate, digits: Int = 2) -> String {
    let scaled = Scaled(rate.bytesPerSecond)
    return "\(scaled.digits(digits))\(units[scaled.power].prefix(1))/s"
  }

  /// Two sizes, the unit once if it is the same: `5.93 of 75.2 GiB`, `329 MiB of 1.21 GiB`.
  static func part(_ part: ByteCount, of whole: ByteCount) -> String {
    let (few, all) = (Scaled(part.bytes), Scaled(whole.bytes))
    guard few.power == all.power else { return "\(size(part)) of \(size(whole))" }
    return "\(few.digits(3)) of \(size(whole))"
  }

  /// Whole percent, rounded down and at most 100, such as `52%`; 0 of 0 is 0.
  static func percent(_ part: ByteCount, of whole: ByteCount) -> String {
    "\(permille(part, of: whole) / 10)%"
  }

  /// Percent with one decimal, such as `17.4%`.
  static func exactPercent(_ part: ByteCount, of whole: ByteCount) -> String {
    let permille = permille(part, of: whole)
    return "\(permille / 10).\(permille % 10)%"
  }

  private static func permille(_ part: ByteCount, of whole: ByteCount) -> Int64 {
    guard whole.bytes > 0 else { return 0 }
    let product = min(max(0, part.bytes), whole.bytes).multipliedFullWidth(by: 1000)
    return whole.bytes.dividingFullWidth(product).quotient
  }

  /// A stretch of time, rounded down to seconds: `0:38`, `49:10`, `23:59:59`, `12d 03h`.
  static func clock(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    let (minutes, hours) = (seconds / 60 % 60, seconds / 3600)
    switch seconds {
    case ..<3600: return "\(minutes):\(twoDigits(seconds % 60))"
    case ..<86_400: return "\(hours):\(twoDigits(minutes)):\(twoDigits(seconds % 60))"
    default: return "\(hours / 24)d \(twoDigits(hours % 24))h"
    }
  }

  /// The time left in at most 6 cells: `0:38`, `59:59`, `23h59m`, `12d03h`, `--`.
  static func timeLeft(_ duration: Duration?) -> String {
    guard let duration else { return unknown }
    let minutes = max(0, duration.components.seconds) / 60
    switch minutes {
    case ..<60: return clock(duration)
    case ..<1440: return "\(minutes / 60)h\(twoDigits(minutes % 60))m"
    default: return "\(minutes / 1440)d\(twoDigits(minutes / 60 % 24))h"
    }
  }

  /// A time that goes on, as `24 s` below 100 seconds, then as a clock.
  static func elapsed(_ duration: Duration) -> String {
    let seconds = max(0, duration.components.seconds)
    return seconds < 100 ? "\(seconds) s" : clock(duration)
  }

  /// A place in a line: `1st`, `2nd`, `11th`.
  static func ordinal(_ number: Int) -> String {
    switch (number % 100, number % 10) {
    case (11...13, _): "\(number)th"
    case (_, 1): "\(number)st"
    case (_, 2): "\(number)nd"
    case (_, 3): "\(number)rd"
    default: "\(number)th"
    }
  }

  /// `1 download`, `3 downloads`.
  static func counted(_ number: Int, _ noun: String) -> String {
    number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
  }

  /// The time of day as `12:41`.
  static func timeOfDay(_ time: LocalTime) -> String {
    "\(twoDigits(time.hour)):\(twoDigits(time.minute))"
  }

  /// The time of day as `12:41:07`.
  static func exactTimeOfDay(_ time: LocalTime) -> String {
    "\(timeOfDay(time)):\(twoDigits(time.second))"
  }

  /// A date without its year, such as `3 Nov`.
  static func date(_ time: LocalTime) -> String {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    return "\(time.day) \(months[time.month - 1])"
  }

  private static func twoDigits(_ number: some BinaryInteger) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}

/// A number of bytes in hundredths of its unit.
private struct Scaled {
  /// 0 for bytes, 1 for KiB and so on, at most 5.
  let power: Int
  private let whole: Int64
  private let hundredths: Int64

  init(_ bytes: Int64) {
    var power = 0
    while power < 5 && bytes >> (10 * power) >= 1000 { power += 1 }
    let unit: Int64 = 1 << (10 * power)
    self.power = power
    whole = bytes / unit
    hundredths = bytes % unit * 100 / unit
  }

  /// The number with so many significant digits, 2 or 3; whole bytes have no decimals.
  func digits(_ count: Int) -> String {
    let room = count - (whole < 10 ? 1 : whole < 100 ? 2 : 3)
    switch power == 0 ? 0 : room {
    case 1: return "\(whole).\(hundredths / 10)"
    case 2: return "\(whole).\(hundredths < 10 ? "0" : "")\(hundredths)"
    default: return "\(whole)"
    }
  }
}
