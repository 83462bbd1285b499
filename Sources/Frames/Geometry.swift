// SPDX-License-Identifier: Apache-2.0
//
// Places on a canvas, counted in cells from the upper left corner, from zero.
// Plain values, any thread; none of them knows the canvas it is used with.

/// A number of columns and rows.
public struct Size: Hashable, Sendable {
  /// Cells in a row.
  public var columns: Int
  /// Rows.
  public var rows: Int

  /// Creates a size; negative numbers count as zero.
  public init(columns: Int, rows: Int) {
    self.columns = max(0, columns)
    self.rows = max(0, rows)
  }
}

/// A cell's place.
public struct Position: Hashable, Sendable {
  /// The row, 0 at the top; may lie outside a canvas.
  public var row: Int
  /// The column, 0 at the left; may lie outside a canvas.
  public var column: Int

  /// Creates a position.
  public init(row: Int, column: Int) {
    self.row = row
    self.column = column
  }
}

/// A rectangle of cells.
public struct Rect: Hashable, Sendable {
  /// The upper left cell.
  public var origin: Position
  /// Its columns and rows.
  public var size: Size

  /// Creates a rectangle.
  public init(origin: Position, size: Size) {
    self.origin = origin
    self.size = size
  }

  /// Creates a rectangle from its edges.
  public init(row: Int, column: Int, columns: Int, rows: Int) {
    self.init(
      origin: Position(row: row, column: column),
      size: Size(columns: columns, rows: rows)
    )
  }

  /// The rows it covers.
  public var rowRange: Range<Int> { origin.row..<origin.row + size.rows }

  /// The columns it covers.
  public var columnRange: Range<Int> { origin.column..<origin.column + size.columns }

  /// The rectangle without its outermost cells, as inside a box.
  public var inner: Rect {
    Rect(
      row: origin.row + 1,
      column: origin.column + 1,
      columns: size.columns - 2,
      rows: size.rows - 2
    )
  }

  /// Returns a rectangle of the given size in the middle of this one, never larger than it.
  public func centered(_ wanted: Size) -> Rect {
    let columns = min(wanted.columns, size.columns)
    let rows = min(wanted.rows, size.rows)
    return Rect(
      row: origin.row + (size.rows - rows) / 2,
      column: origin.column + (size.columns - columns) / 2,
      columns: columns,
      rows: rows
    )
  }
}
