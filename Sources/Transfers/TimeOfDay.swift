// SPDX-License-Identifier: Apache-2.0
//
// TimeOfDay: hour and minute as a clock on the wall shows them.
//
// Holds    0 to 1439 minutes.
// Never    knows a day or a time zone.

/// A time of day, to the minute.
public struct TimeOfDay: Hashable, Sendable {
  /// Minutes since midnight, 0 to 1439.
  public let minute: Int

  /// Makes a time; nil when there is none such.
  public init?(hour: Int, minute: Int) {
    guard (0..<24).contains(hour), (0..<60).contains(minute) else { return nil }
    self.minute = hour * 60 + minute
  }

  /// 00:00.
  public static let midnight = TimeOfDay()

  private init() { minute = 0 }

  /// Reads `HH:MM`; the hour may have one digit.
  public init?(parsing text: some StringProtocol) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...2).contains(parts[0].utf8.count), parts[1].utf8.count == 2,
      parts.joined().utf8.allSatisfy({ (48...57).contains($0) }),
      let hour = Int(parts[0]), let minute = Int(parts[1])
    else { return nil }
    self.init(hour: hour, minute: minute)
  }

  /// As `HH:MM`.
  public var text: String {
    let (hour, rest) = (minute / 60, minute % 60)
    return "\(hour < 10 ? "0" : "")\(hour):\(rest < 10 ? "0" : "")\(rest)"
  }
}
