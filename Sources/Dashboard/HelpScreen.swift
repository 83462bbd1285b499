// SPDX-License-Identifier: Apache-2.0
//
// HelpScreen: all keys, made from the table of actions; scrolls where it does not fit.
// Any key that does not scroll closes it and does nothing else; `Q` quits, as everywhere.

import Frames
import Transfers

/// The list of keys.
struct HelpScreen: Screen {
  private var top = 0

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    guard case .move(let move) = KeyMap.action(for: key, in: .list) else { return .close }
    let page = Self.page(model.size)
    let count = Self.lines(in: model.size).count
    top = max(0, min(move.from(top, count: count, page: page), count - page))
    return .stay
  }

  mutating func settle(_ model: inout Model) -> Bool {
    top = max(0, min(top, Self.lines(in: model.size).count - Self.page(model.size)))
    return true
  }

  func draw(on canvas: inout Canvas, _ model: Model) {
    let lines = Self.lines(in: canvas.size)
    let rows = Self.page(canvas.size)
    let visible = lines.dropFirst(top).prefix(rows).map { Dialog.Line($0) }
    guard canvas.size.rows > 2 else { return drawPlain(visible, on: &canvas, model.glyphs) }
    let hint = lines.count > rows ? "j k scroll   other keys close" : "any key closes"
    let title = "Keys of winch \(model.shown(model.settings.version))"
    Dialog(title: title, body: Array(visible), hint: hint).draw(on: &canvas, model.glyphs)
  }

  /// Lines alone, where title and hint would leave no room for them.
  private func drawPlain(_ lines: [Dialog.Line], on canvas: inout Canvas, _ glyphs: Glyphs) {
    canvas.fill(canvas.bounds)
    for (row, line) in lines.enumerated() {
      let start = Position(row: row, column: 0)
      line.draw(on: &canvas, at: start, columns: canvas.size.columns, glyphs)
    }
  }

  private static func page(_ size: Size) -> Int {
    size.rows > 2 ? Dialog.bodyRows(in: size) : size.rows
  }

  /// One entry for each action in as many columns as fit, under the headings of the table.
  static func lines(in size: Size) -> [String] {
    let width = Dialog.place(in: size, rows: 1).body.size.columns
    let headed = width >= 44
    let cell = headed ? 31 : max(1, width)
    let perLine = headed ? max(1, (width - 9) / cell) : 1
    return Action.Heading.allCases.flatMap { heading in
      let entries = Action.table.filter { $0.heading == heading }.map(entry)
      return stride(from: 0, to: entries.count, by: perLine).map { start in
        let cells = entries[start..<min(start + perLine, entries.count)]
        let text = cells.map { padded($0, to: cell) }.joined()
        return headed ? padded(start == 0 ? heading.rawValue : "", to: 9) + text : text
      }
    }
  }

  private static func entry(_ action: Action) -> String {
    padded(action.labels, to: 14) + action.help
  }

  private static func padded(_ text: String, to columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - text.utf8.count))
  }
}
