// SPDX-License-Identifier: Apache-2.0
//
// Footer: the keys that make sense for the selected row, most wanted first, as many as fit.
// Holds    keys and words out of the table of actions; only `p` changes its word with the row.

import Frames
import Transfers

/// The line of keys.
struct Footer {
  /// One key with its word.
  struct Item: Hashable, Sendable {
    let id: Action.ID
    let label: String
    let word: String
  }

  let items: [Item]

  /// The keys of the list.
  init(list model: Model) {
    let row = model.selectedRow
    var ids: [Action.ID] = [.help, .add]
    if row != nil { ids.append(.tag) }
    ids += Self.acts(row)
    if model.transfers.tally[.done] > 0 { ids.append(.clear) }
    if row != nil { ids.append(.open) }
    items = (ids + [.quit]).compactMap { Self.item($0, row) }
  }

  /// The keys of the details of one transfer.
  init(details row: Row) {
    items = ([.back] + Self.acts(row) + [.help]).compactMap { Self.item($0, row) }
  }

  private static func acts(_ row: Row?) -> [Action.ID] {
    guard let row else { return [] }
    var ids: [Action.ID] = []
    if !row.state.isEnded { ids.append(.pause) }
    if row.canRetry { ids.append(.retry) }
    ids.append(.remove)
    return row.takesNewLink ? ids + [.edit] : ids
  }

  private static func item(_ id: Action.ID, _ row: Row?) -> Item? {
    guard let action = Action.table.first(where: { $0.id == id }), let word = action.word else {
      return nil
    }
    let isPaused = row.map { Group($0.state) == .paused } ?? false
    return Item(id: id, label: action.label, word: id == .pause && isPaused ? "Resume" : word)
  }

  /// Draws it into a row; the last key stays even if others have to go.
  func draw(on canvas: inout Canvas, at line: Int) {
    let isWide = canvas.size.columns >= 100
    var column = 1
    for item in fitting(canvas.size.columns, isWide: isWide) {
      let position = Position(row: line, column: column)
      column += canvas.put(item.label, at: position, style: Style(.plain, .bold))
      column += blanks(item, isWide: isWide)
      column += canvas.put(item.word, at: Position(row: line, column: column))
      column += isWide ? 2 : 1
    }
  }

  private func fitting(_ columns: Int, isWide: Bool) -> [Item] {
    var fitting: [Item] = []
    guard let last = items.last else { return [] }
    var left = columns - 1 - width(last, isWide: isWide)
    for item in items.dropLast() {
      let width = width(item, isWide: isWide) + (isWide ? 2 : 1)
      guard width <= left else { continue }
      left -= width
      fitting.append(item)
    }
    return left >= 0 ? fitting + [last] : fitting
  }

  private func width(_ item: Item, isWide: Bool) -> Int {
    item.label.utf8.count + blanks(item, isWide: isWide) + item.word.utf8.count
  }

  /// A key of one letter stands close to its word where room is short, and so does the space bar.
  private func blanks(_ item: Item, isWide: Bool) -> Int {
    isWide || item.label.utf8.count > 1 && item.label != "Spc" ? 1 : 0
  }
}
