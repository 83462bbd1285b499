// SPDX-License-Identifier: Apache-2.0
//
// How the details are drawn: a title, the part of the content that fits, the keys.
// The content is made of lines first and cut to the screen then, so that every size can scroll.

import Frames
import Transfers

extension DetailsScreen {
  /// The rows that content may take.
  static func page(_ size: Size) -> Int { size.rows - (size.rows >= 6 ? 2 : 0) }

  func draw(on canvas: inout Canvas, _ model: Model) {
    guard let row = model.transfers[id] else { return }
    let size = canvas.size
    let hasFrame = size.rows >= 6
    let lines = content(row, model).dropFirst(top).prefix(max(0, Self.page(size)))
    for (offset, line) in lines.enumerated() {
      line.draw(on: &canvas, at: offset + (hasFrame ? 1 : 0), model.glyphs)
    }
    guard hasFrame else { return }
    drawTitle(row, on: &canvas, model)
    Footer(details: row).draw(on: &canvas, at: size.rows - 1)
  }

  private func drawTitle(_ row: Row, on canvas: inout Canvas, _ model: Model) {
    let room = max(0, canvas.size.columns - 6)
    let name = Shortened.middle(model.shown(row.transfer.name), columns: room, glyphs: model.glyphs)
    canvas.rule(
      at: Position(row: 0, column: 0),
      columns: canvas.size.columns,
      title: name,
      glyphs: model.glyphs
    )
  }

  /// All lines, from the state to the log.
  func content(_ row: Row, _ model: Model) -> [DetailsLine] {
    let facts = DetailsFacts(row: row, model: model)
    var lines = facts.lines
    let map = DetailsMap(row: row, model: model)
    if !map.lines.isEmpty { lines += [.blank] + map.lines }
    let connections = facts.connectionLines
    if !connections.isEmpty { lines += [.blank, .heading("Connections")] + connections }
    if !log.isEmpty { lines += [.blank, .heading("Log")] + logLines(model) }
    return lines
  }

  /// The newest line first.
  private func logLines(_ model: Model) -> [DetailsLine] {
    log.reversed().map { line in
      let time = Figures.exactTimeOfDay(model.settings.localTime(line.at))
      return .text("  \(time)  \(model.shown(line.text))")
    }
  }
}
