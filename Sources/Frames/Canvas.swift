// SPDX-License-Identifier: Apache-2.0
//
// A picture made of cells, without a terminal.
// It owns its cells and the place of the cursor. Whatever is drawn outside is cut off, and a wide
// character is never cut in half: a half that would stick out becomes a blank.
// A value, any thread; it never looks at what text means.

/// A picture made of cells.
public struct Canvas: Equatable, Sendable {
  /// Columns and rows.
  public let size: Size
  /// Where the hardware cursor is to be parked, or nil to leave that to the terminal.
  public var cursor: Position?
  /// Whether the hardware cursor is to be seen, as in a text field.
  public var showsCursor = false
  /// All cells, row by row.
  private(set) var cells: [Cell]

  /// Creates a canvas of plain blanks.
  public init(size: Size) {
    self.size = size
    cells = Array(repeating: .blank(), count: size.columns * size.rows)
  }

  /// The cell at a place.
  ///
  /// - Precondition: The place lies on the canvas.
  public subscript(row: Int, column: Int) -> Cell {
    precondition(contains(row: row, column: column), "a cell outside the canvas")
    return cells[row * size.columns + column]
  }

  /// Whether a place lies on the canvas.
  public func contains(row: Int, column: Int) -> Bool {
    row >= 0 && row < size.rows && column >= 0 && column < size.columns
  }

  /// The whole canvas as a rectangle.
  public var bounds: Rect { Rect(origin: Position(row: 0, column: 0), size: size) }

  /// The cells of one row.
  ///
  /// - Precondition: The row lies on the canvas.
  public func row(_ row: Int) -> ArraySlice<Cell> {
    cells[row * size.columns..<(row + 1) * size.columns]
  }

  /// The rows as text for golden tests, without the blanks at their ends.
  public var text: [String] {
    (0..<size.rows).map { index in
      var line = row(index)[...]
      while line.last?.isBlank == true { line.removeLast() }
      return line.map(\.text).joined()
    }
  }

  /// One letter for the style of each cell; see `Style`: `.` plain, the role's letter, a capital
  /// if reversed.
  public var styleLayer: [String] {
    (0..<size.rows).map { index in String(row(index).map(\.style.letter)) }
  }
}

extension Canvas {
  /// Draws text, and returns the columns it took of those allowed.
  ///
  /// - Parameters:
  ///   - text: Sanitised text; scalars without a width are drawn as U+FFFD.
  ///   - position: Where it starts; what lies outside the canvas is not drawn, but counted.
  ///   - style: How it looks.
  ///   - maxColumns: The columns it may take; a wide character cut there becomes a blank.
  /// - Returns: The columns taken, at most `maxColumns`.
  @discardableResult
  public mutating func put(
    _ text: String,
    at position: Position,
    style: Style = .plain,
    maxColumns: Int = .max
  ) -> Int {
    guard position.row >= 0 && position.row < size.rows && maxColumns > 0 else {
      return max(0, min(maxColumns, TextWidth.columns(of: text)))
    }
    var used = 0
    for scalar in text.unicodeScalars {
      let width = TextWidth.columns(of: scalar)
      if width == 0 {
        if used > 0 { mark(scalar, row: position.row, before: position.column + used) }
        continue
      }
      let columns = width < 0 ? 1 : width
      guard used + columns <= maxColumns else {
        return finish(at: position, used: used, style: style, maxColumns: maxColumns)
      }
      let shown = width < 0 ? "\u{FFFD}" : scalar
      set(shown, width: columns, row: position.row, column: position.column + used, style)
      used += columns
    }
    return used
  }

  /// Blanks the column that is left when a wide character did not fit.
  private mutating func finish(
    at position: Position,
    used: Int,
    style: Style,
    maxColumns: Int
  ) -> Int {
    for offset in used..<maxColumns {
      set(" ", width: 1, row: position.row, column: position.column + offset, style)
    }
    return maxColumns
  }

  /// Fills a rectangle with blanks of one style.
  public mutating func fill(_ rect: Rect, style: Style = .plain) {
    for row in rect.rowRange.clamped(to: 0..<size.rows) {
      for column in rect.columnRange.clamped(to: 0..<size.columns) {
        set(" ", width: 1, row: row, column: column, style)
      }
    }
  }

  /// Gives the cells of a rectangle another style and keeps their text.
  public mutating func restyle(_ rect: Rect, _ change: (Style) -> Style) {
    for row in rect.rowRange.clamped(to: 0..<size.rows) {
      for column in rect.columnRange.clamped(to: 0..<size.columns) {
        let index = row * size.columns + column
        cells[index].style = change(cells[index].style)
      }
    }
  }

  /// Sets the cells of one character, with whatever of it lies outside cut off.
  private mutating func set(
    _ base: Unicode.Scalar,
    width: Int,
    row: Int,
    column: Int,
    _ style: Style
  ) {
    guard column > -width && column < size.columns else { return }
    guard width == 2 else {
      store(Cell(base: base, width: 1, style: style), row: row, column: column)
      return
    }
    guard column >= 0 && column + 1 < size.columns else {
      store(.blank(style), row: row, column: max(0, column))
      return
    }
    store(Cell(base: base, width: 2, style: style), row: row, column: column)
    store(.rightHalf(style), row: row, column: column + 1, isOwnHalf: true)
  }

  /// Stores a cell; what it leaves of a wide character that was there becomes a blank.
  private mutating func store(_ cell: Cell, row: Int, column: Int, isOwnHalf: Bool = false) {
    let index = row * size.columns + column
    if cells[index].width == 0 && !isOwnHalf && column > 0 {
      cells[index - 1] = .blank(cells[index - 1].style)
    }
    if cells[index].width == 2 {
      cells[index + 1] = .blank(cells[index + 1].style)
    }
    cells[index] = cell
  }

  /// Adds a combining mark to the character that ends before a column.
  private mutating func mark(_ scalar: Unicode.Scalar, row: Int, before column: Int) {
    guard column > 0 && column <= size.columns else { return }
    let index = row * size.columns + column - 1
    let isRightHalf = cells[index].isRightHalf
    cells[isRightHalf ? index - 1 : index].add(mark: scalar)
  }
}
