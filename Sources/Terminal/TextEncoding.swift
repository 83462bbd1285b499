// SPDX-License-Identifier: Apache-2.0
//
// Which characters the locale lets us show.
// `adopt` sets the C library's character type for the whole process, once, before any thread and
// any screen exists; ncurses takes its idea of widths from it.

import CNcurses
public import Frames
import Glibc

/// The characters a terminal shows.
public enum TextEncoding: Hashable, Sendable {
  /// All of Unicode, as UTF-8.
  case utf8
  /// ASCII only; any other locale is treated so.
  case ascii

  /// Sets the locale's character type from the environment and says what it allows.
  ///
  /// Where the environment asks for UTF-8 in a locale that is not installed here, as SSH sessions
  /// often do, `C.UTF-8` is taken. Call it at start, before any thread.
  public static func adopt() -> TextEncoding {
    if setlocale(LC_CTYPE, "") == nil, wantsUTF8 {
      setlocale(LC_CTYPE, "C.UTF-8")
    }
    return current
  }

  /// What the locale in force allows.
  public static var current: TextEncoding {
    guard let codeset = curses_codeset() else { return .ascii }
    return String(cString: codeset) == "UTF-8" ? .utf8 : .ascii
  }

  /// The signs to draw with.
  public var glyphs: Glyphs {
    switch self {
    case .utf8: .unicode
    case .ascii: .ascii
    }
  }

  /// Whether the variable that decides the character type names UTF-8.
  private static var wantsUTF8: Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"].compactMap(environment)
    let deciding = names.first { !$0.isEmpty }?.lowercased() ?? ""
    return deciding.hasSuffix("utf-8") || deciding.hasSuffix("utf8")
  }
}

/// The value of an environment variable, nil if it is not set.
func environment(_ name: String) -> String? {
  getenv(name).map { String(cString: $0) }
}
