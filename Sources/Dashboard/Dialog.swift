// SPDX-License-Identifier: Apache-2.0
//
// Dialog: the look that questions and small screens share: a box in the middle where there is room,
// plain lines where there is none, at every size.
// Holds    title, lines and the hint that names the keys; the hint is never left out.

import Frames

/// A box with text, or the same without edges on a small screen.
struct Dialog {
  /// One line of a body.
  struct Line {
    let text: String
    let note: String
    let style: Style
    private let isName: Bool

    /// A line of text, cut at its end.
    init(_ text: String, note: String = "", style: Style = .plain) {
      self.init(text: text, note: note, style: style, isName: false)
    }

    /// A name, cut in its middle, with a note at the right.
    init(name: String, note: String) {
      self.init(text: name, note: note, style: .plain, isName: true)
    }

    private init(text: String, note: String, style: Style, isName: Bool) {
      self.text = text
      self.note = note
      self.style = style
      self.isName = isName
    }

    /// Draws it into one row; the note goes where the text would be left without ten columns.
    func draw(on canvas: inout Canvas, at position: Position, columns: Int, _ glyphs: Glyphs) {
      let noteWidth = TextWidth.columns(of: note)
      let hasNote = noteWidth > 0 && columns >= noteWidth + 12
      let room = hasNote ? columns - noteWidth - 2 : columns
      let cut = isName ? Shortened.middle : Shortened.end
      canvas.put(cut(text, room, glyphs), at: position, style: style, maxColumns: max(0, columns))
      guard hasNote else { return }
      let column = position.column + columns - noteWidth
      canvas.put(note, at: Position(row: position.row, column: column), style: style)
    }
  }

  let title: String
  let body: [Line]
  let hint: String

  /// Where a dialog lies.
  struct Place {
    /// The box with its edges; nil where there is no room for edges.
    let box: Rect?
    /// Where the body is drawn.
    let body: Rect
  }

  private static func isBoxed(in size: Size) -> Bool { size.columns >= 40 && size.rows >= 8 }

  /// How many rows a body may take.
  static func bodyRows(in size: Size) -> Int {
    max(0, isBoxed(in: size) ? size.rows - 4 : size.rows - 2)
  }

  /// Where a dialog with a body of so many rows lies.
  static func place(in size: Size, rows: Int) -> Place {
    guard isBoxed(in: size) else {
      let body = Rect(row: 1, column: 0, columns: size.columns, rows: max(0, size.rows - 2))
      return Place(box: nil, body: body)
    }
    let wanted = Size(columns: min(size.columns - 2, 76), rows: min(rows, bodyRows(in: size)) + 2)
    let box = Rect(row: 0, column: 0, columns: size.columns, rows: size.rows).centered(wanted)
    let inner = box.inner
    let body = Rect(
      row: inner.origin.row,
      column: inner.origin.column + 1,
      columns: inner.size.columns - 2,
      rows: inner.size.rows
    )
    return Place(box: box, body: body)
  }

  /// Draws edges, title and hint, and blanks the inside.
  func drawFrame(on canvas: inout Canvas, _ place: Place, _ glyphs: Glyphs) {
    guard let box = place.box else { return drawPlainFrame(on: &canvas, glyphs) }
    canvas.fill(box)
    canvas.box(box, title: title, footer: hint, glyphs: glyphs)
  }

  private func drawPlainFrame(on canvas: inout Canvas, _ glyphs: Glyphs) {
    canvas.fill(canvas.bounds)
    let columns = canvas.size.columns
    let bold = Style(.plain, .bold)
    let last = canvas.size.rows - 1
    let first = last == 0 ? "\(title) \(hint)" : title
    canvas.put(
      Shortened.end(first, columns: columns, glyphs: glyphs),
      at: Position(row: 0, column: 0),
      style: bold
    )
    guard last > 0 else { return }
    canvas.put(
      Shortened.end(hint, columns: columns, glyphs: glyphs),
      at: Position(row: last, column: 0)
    )
  }

  /// Draws all of it.
  func draw(on canvas: inout Canvas, _ glyphs: Glyphs) {
    let place = Self.place(in: canvas.size, rows: body.count)
    drawFrame(on: &canvas, place, glyphs)
    for (offset, line) in body.prefix(place.body.size.rows).enumerated() {
      let position = Position(
        row: place.body.origin.row + offset,
        column: place.body.origin.column
      )
      line.draw(on: &canvas, at: position, columns: place.body.size.columns, glyphs)
    }
  }
}
