// SPDX-License-Identifier: Apache-2.0
//
// A line that is being edited: scrolled so that the cursor is seen.

import Frames

extension Canvas {
  /// Draws a line with the cursor behind a part of it.
  ///
  /// - Parameters:
  ///   - text: The line, fit to be shown.
  ///   - before: What stands before the cursor.
  ///   - position: Where the line begins.
  ///   - columns: The cells there are.
  mutating func putEdited(
    _ text: String,
    before: String,
    at position: Position,
    columns: Int
  ) {
    let place = TextWidth.columns(of: before)
    let start = max(0, place - max(0, columns - 1))
    putScrolled(text, from: start, at: position, columns: columns)
    let cursor = Position(row: position.row, column: position.column + place - start)
    restyle(Rect(origin: cursor, size: Size(columns: 1, rows: 1))) { $0.adding(.reverse) }
    self.cursor = contains(row: cursor.row, column: cursor.column) ? cursor : nil
  }

  /// Draws the part of a text that begins `start` columns in; half a wide character is a blank.
  private mutating func putScrolled(
    _ text: String,
    from start: Int,
    at position: Position,
    columns: Int
  ) {
    var skipped = 0
    var rest = Substring(text)
    while skipped < start, let first = rest.unicodeScalars.first {
      skipped += max(0, TextWidth.columns(of: first))
      rest.unicodeScalars.removeFirst()
    }
    let indent = max(0, skipped - start)
    put(
      String(rest),
      at: Position(row: position.row, column: position.column + indent),
      maxColumns: columns - indent
    )
  }
}
