// SPDX-License-Identifier: Apache-2.0
//
// Columns whose widths and gaps add up exactly to the width of the screen.
// Fixed columns have their width; what is left is divided among the flexible ones by share, and
// the last of those takes the remainder. When even the fixed columns do not fit, the last columns
// are cut, never the sum exceeded.
// Pure, any thread.

/// At which end of its column text stands.
public enum Alignment: Hashable, Sendable {
  /// At the left.
  case leading
  /// At the right.
  case trailing

  /// Returns text that takes exactly a number of columns, padded with blanks or cut at the end.
  public func fitted(_ text: String, to columns: Int, _ glyphs: Glyphs) -> String {
    let text = Shortened.end(text, columns: columns, glyphs: glyphs)
    let padding = String(repeating: " ", count: max(0, columns - TextWidth.columns(of: text)))
    switch self {
    case .leading: return text + padding
    case .trailing: return padding + text
    }
  }
}

/// Columns that add up to the width of the screen.
public struct Table: Hashable, Sendable {
  /// How wide a column is.
  public enum Width: Hashable, Sendable {
    /// So many columns.
    case fixed(Int)
    /// A share of what the fixed ones leave, but not less than a minimum.
    case flexible(minimum: Int, share: Int = 1)
  }

  /// One column.
  public struct Column: Hashable, Sendable {
    /// What its heading says.
    public let title: String
    /// How wide it is.
    public let width: Width
    /// At which end its text stands.
    public let alignment: Alignment

    /// Creates a column.
    public init(_ title: String, _ width: Width, _ alignment: Alignment = .leading) {
      self.title = title
      self.width = width
      self.alignment = alignment
    }
  }

  /// The columns, from the left.
  public let columns: [Column]
  /// Blank columns between two of them.
  public let gap: Int

  /// Creates a table.
  public init(_ columns: [Column], gap: Int = 1) {
    self.columns = columns
    self.gap = max(0, gap)
  }

  /// The widths that, with the gaps, add up to exactly `total` if there is a flexible column, and
  /// never to more.
  public func widths(in total: Int) -> [Int] {
    var widths = columns.map(Self.least)
    let room = total - gap * max(0, columns.count - 1) - widths.reduce(0, +)
    distribute(room, over: &widths)
    var left = max(0, total)
    for index in widths.indices {
      if index > 0 { left = max(0, left - gap) }
      widths[index] = min(widths[index], left)
      left -= widths[index]
    }
    return widths
  }

  /// Where each column lies, counted from the table's left edge.
  public func spans(in total: Int) -> [Range<Int>] {
    var start = 0
    return widths(in: total).map { width in
      defer { start += width + gap }
      let start = min(start, max(0, total))
      return start..<start + width
    }
  }

  /// One line of exactly `total` columns; missing texts are blank, those too long are cut.
  public func line(_ texts: [String], in total: Int, _ glyphs: Glyphs) -> String {
    var line = ""
    var used = 0
    for (index, span) in spans(in: total).enumerated() {
      line += String(repeating: " ", count: span.lowerBound - used)
      let text = index < texts.count ? texts[index] : ""
      line += columns[index].alignment.fitted(text, to: span.count, glyphs)
      used = span.upperBound
    }
    return line + String(repeating: " ", count: max(0, total - used))
  }

  /// The line of the headings.
  public func heading(in total: Int, _ glyphs: Glyphs) -> String {
    line(columns.map(\.title), in: total, glyphs)
  }

  private static func least(_ column: Column) -> Int {
    switch column.width {
    case .fixed(let width): max(0, width)
    case .flexible(let minimum, _): max(0, minimum)
    }
  }

  /// Divides spare room by share; rounding leaves go to the last flexible column.
  private func distribute(_ room: Int, over widths: inout [Int]) {
    guard room > 0 else { return }
    let shares = columns.map { column in
      if case .flexible(_, let share) = column.width { max(0, share) } else { 0 }
    }
    let sum = shares.reduce(0, +)
    guard sum > 0, let last = shares.lastIndex(where: { $0 > 0 }) else { return }
    for index in widths.indices { widths[index] += room * shares[index] / sum }
    widths[last] += room - shares.reduce(0) { $0 + room * $1 / sum }
  }
}
