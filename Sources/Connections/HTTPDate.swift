// SPDX-License-Identifier: Apache-2.0
//
// HTTPDate: seconds since 1970 as http writes them, whatever language the user speaks.
//
// Source   RFC 9110 section 5.6.7, IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`.

internal import Glibc

enum HTTPDate {
  private static let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// The date in words.
  static func text(of seconds: Int64) -> String {
    var time = time_t(seconds)
    var parts = tm()
    gmtime_r(&time, &parts)
    let day = "\(days[Int(parts.tm_wday)]), \(padded(parts.tm_mday))"
    let date = "\(day) \(months[Int(parts.tm_mon)]) \(parts.tm_year + 1900)"
    return "\(date) \(padded(parts.tm_hour)):\(padded(parts.tm_min)):\(padded(parts.tm_sec)) GMT"
  }

  private static func padded(_ number: Int32) -> String {
    number < 10 ? "0\(number)" : "\(number)"
  }
}
