// SPDX-License-Identifier: Apache-2.0
//
// LinkJudge and LocalClock: the two questions the dashboard asks the system.

import Connections
import Dashboard
import Glibc
import Transfers

/// Judges lines of the add dialog.
enum LinkJudge {
  /// What one line is worth as a link.
  static let verdict: @Sendable (String) -> LineVerdict = { text in
    do throws(LinkError) {
      return .good(try Link(parsing: text))
    } catch {
      switch error {
      case .noScheme(let guess?): return .noScheme(guess)
      case .unsupportedScheme(let scheme): return .unsupportedScheme(scheme)
      case .empty, .noScheme(nil), .controlByte, .badHost, .badPort, .badLogin, .malformed:
        return .notALink(error.short)
      }
    }
  }
}

extension LinkError {
  /// At most 40 cells.
  fileprivate var short: String {
    switch self {
    case .empty, .noScheme, .malformed: "not a link"
    case .unsupportedScheme: "not http or https"
    case .controlByte: "a control character in it"
    case .badHost: "no usable host"
    case .badPort: "the port is no port"
    case .badLogin: "the login cannot be read"
    }
  }
}

/// The user's time zone.
enum LocalClock {
  /// A wall-clock time as the user's clock shows it (`localtime_r(3)`).
  static let localTime: @Sendable (WallTime) -> LocalTime = { wall in
    var seconds = time_t(wall.seconds)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return LocalTime(wall, offset: parts.tm_gmtoff)
  }
}
