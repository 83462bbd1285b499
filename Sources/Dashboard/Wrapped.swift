// SPDX-License-Identifier: Apache-2.0
//
// Wrapped: text broken into lines of a width, at a blank where there is one, else anywhere.
// Holds    combining marks with their base and wide characters whole.

import Frames

/// Text broken into lines.
enum Wrapped {
  /// The lines of a text, at least one, each at most `columns` wide.
  ///
  /// - Parameters:
  ///   - text: Sanitised text.
  ///   - columns: The width; below 2 nothing is broken.
  /// - Returns: The lines, without the blanks they were broken at.
  static func lines(_ text: String, columns: Int) -> [String] {
    guard columns > 1 else { return [text] }
    var lines: [String] = []
    var rest = Substring(text).unicodeScalars
    while TextWidth.columns(of: String(rest)) > columns {
      let end = breakpoint(rest, columns)
      lines.append(String(rest[..<end]))
      rest = rest[end...].drop { $0 == " " }
    }
    if !rest.isEmpty || lines.isEmpty { lines.append(String(rest)) }
    return lines
  }

  /// Where the line ends: before the last blank in its second half, else where it is full.
  private static func breakpoint(
    _ text: Substring.UnicodeScalarView,
    _ columns: Int
  ) -> Substring.UnicodeScalarView.Index {
    var used = 0
    var blank: Substring.UnicodeScalarView.Index?
    for index in text.indices {
      if text[index] == " ", used > columns / 2 { blank = index }
      used += max(0, TextWidth.columns(of: text[index]))
      if used > columns { return blank ?? index }
    }
    return text.endIndex
  }
}
