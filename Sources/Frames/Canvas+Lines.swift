// SPDX-License-Identifier: Apache-2.0
//
// Boxes and rules on a canvas.
// Drawn with the same cutting as text: what lies outside is left out.
// Values, any thread.

extension Canvas {
  /// Draws the edges of a rectangle, with a title in the upper one and a note in the lower one;
  /// what is inside stays as it is.
  ///
  /// - Parameters:
  ///   - rect: The box, edges included; nothing is drawn below two columns or two rows.
  ///   - title: Sanitised text, cut if need be; empty for none.
  ///   - footer: The same for the lower edge.
  ///   - glyphs: The signs to draw with.
  ///   - style: How edges, title and footer look.
  public mutating func box(
    _ rect: Rect,
    title: String = "",
    footer: String = "",
    glyphs: Glyphs,
    style: Style = .plain
  ) {
    guard rect.size.columns >= 2 && rect.size.rows >= 2 else { return }
    let box = glyphs.box
    let top = edge(box.topLeft, title, box.topRight, columns: rect.size.columns, glyphs)
    let bottom = edge(box.bottomLeft, footer, box.bottomRight, columns: rect.size.columns, glyphs)
    put(top, at: rect.origin, style: style)
    let last = rect.rowRange.upperBound - 1
    put(bottom, at: Position(row: last, column: rect.origin.column), style: style)
    for row in rect.inner.rowRange {
      put(box.vertical, at: Position(row: row, column: rect.origin.column), style: style)
      let right = rect.columnRange.upperBound - 1
      put(box.vertical, at: Position(row: row, column: right), style: style)
    }
  }

  /// Draws a rule along a row with a title at its left and a note at its right.
  ///
  /// - Parameters:
  ///   - position: Where it starts.
  ///   - columns: How long it is.
  ///   - title: Sanitised text, cut if need be; empty for none.
  ///   - note: The same at the right; left out if there is no room.
  ///   - glyphs: The signs to draw with.
  ///   - style: How it looks.
  public mutating func rule(
    at position: Position,
    columns: Int,
    title: String = "",
    note: String = "",
    glyphs: Glyphs,
    style: Style = .plain
  ) {
    let dash = glyphs.box.horizontal
    let line = edge(dash, title, dash, columns: columns, glyphs)
    put(line, at: position, style: style, maxColumns: max(0, columns))
    let start = columns - TextWidth.columns(of: note) - 3
    guard !note.isEmpty && start > TextWidth.columns(of: title) + 4 else { return }
    put(" \(note) ", at: Position(row: position.row, column: position.column + start), style: style)
  }

  /// A line of exactly `columns` columns with its ends and, after one dash, a title.
  private func edge(
    _ left: String,
    _ title: String,
    _ right: String,
    columns: Int,
    _ glyphs: Glyphs
  ) -> String {
    let room = max(0, columns - 2)
    let dash = glyphs.box.horizontal
    guard !title.isEmpty && room > 3 else {
      return left + String(repeating: dash, count: room) + right
    }
    let short = Shortened.end(title, columns: room - 3, glyphs: glyphs)
    let used = TextWidth.columns(of: short) + 3
    return left + dash + " \(short) " + String(repeating: dash, count: room - used) + right
  }
}
