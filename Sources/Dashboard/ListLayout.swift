// SPDX-License-Identifier: Apache-2.0
//
// ListLayout: what the main list shows at a size, and in which rows and columns.
// Holds    the table of widths; the columns of a row and their gaps add up to the screen's width.
// Never    refuses a size.

import Frames

/// Where the parts of the main list lie.
struct ListLayout: Hashable, Sendable {
  /// How much is shown.
  enum Form: Hashable, Sendable {
    /// One line of figures.
    case oneLine
    /// Two lines of figures, and below them as much of the list as there is room for.
    case summary
    /// One header line, the list, and one line for peek and notice.
    case compact
    /// Two header lines, headings, the list, peek, notice, footer.
    case full
  }

  /// A column of the list.
  enum Column: Hashable, Sendable {
    case name, bar, percent, done, size, speed, timeLeft, connections, host
  }

  let form: Form
  /// The columns shown, from the left.
  let columns: [Column]
  /// The cells of marker, state letter and tag before the first column.
  let lead: Int
  /// The rows that show transfers.
  let listRows: Range<Int>
  /// The cells of each column.
  let spans: [Range<Int>]

  init(_ size: Size) {
    form = Self.form(size)
    columns = Self.columns(size.columns)
    lead = size.columns < 64 ? 3 : 4
    let rows = size.rows
    switch form {
    case .oneLine: listRows = 0..<0
    case .summary: listRows = rows > 3 ? 2..<rows - 1 : 0..<0
    case .compact: listRows = 1..<rows - 2
    case .full: listRows = 3..<rows - 3
    }
    let lead = self.lead
    let table = Table(columns.map { $0.tableColumn(size.columns) })
    spans = table.spans(in: max(0, size.columns - lead))
      .map { $0.lowerBound + lead..<$0.upperBound + lead }
  }

  private static func form(_ size: Size) -> Form {
    if size.columns < 20 || size.rows < 2 { return .oneLine }
    if size.columns < 40 || size.rows < 6 { return .summary }
    return size.columns < 64 || size.rows < 14 ? .compact : .full
  }

  private static func columns(_ width: Int) -> [Column] {
    switch width {
    case ..<40: [.name, .percent]
    case ..<64: [.name, .percent, .speed]
    case ..<80: [.name, .bar, .percent, .speed, .timeLeft]
    case ..<100: [.name, .bar, .percent, .size, .speed, .timeLeft, .connections]
    case ..<120: [.name, .bar, .percent, .done, .size, .speed, .timeLeft, .connections]
    default: [.name, .bar, .percent, .done, .size, .speed, .timeLeft, .connections, .host]
    }
  }

  /// The cells of one column, empty if it is not shown.
  func span(_ column: Column) -> Range<Int> {
    columns.firstIndex(of: column).map { spans[$0] } ?? 0..<0
  }

  /// The cells of speed, time left and connections together, where a reason stands instead.
  var reasonSpan: Range<Int> {
    let last = [Column.connections, .timeLeft, .speed].first(where: columns.contains) ?? .speed
    return span(.speed).lowerBound..<max(span(.speed).lowerBound, span(last).upperBound)
  }
}

extension ListLayout.Column {
  /// Whether its text stands at the right.
  var alignment: Alignment {
    switch self {
    case .name, .bar, .host: .leading
    case .percent, .done, .size, .speed, .timeLeft, .connections: .trailing
    }
  }

  /// The column as the table needs it on a screen of so many columns.
  func tableColumn(_ width: Int) -> Table.Column {
    Table.Column(title, extent(width), alignment)
  }

  var title: String {
    switch self {
    case .name: "Name"
    case .bar: "Progress"
    case .percent: "%"
    case .done: "Done"
    case .size: "Size"
    case .speed: "Speed"
    case .timeLeft: "ETA"
    case .connections: "Cn"
    case .host: "Host"
    }
  }

  private func extent(_ width: Int) -> Table.Width {
    switch self {
    case .name: .flexible(minimum: width < 120 ? 10 : 40, share: 3)
    case .bar where width >= 120: .flexible(minimum: 14)
    case .bar: .fixed(width < 80 ? 8 : width < 100 ? 10 : 12)
    case .percent: .fixed(4)
    case .done, .size: .fixed(8)
    case .speed: .fixed(width < 64 ? 6 : 10)
    case .timeLeft: .fixed(6)
    case .connections: .fixed(2)
    case .host: .flexible(minimum: 16)
    }
  }
}
