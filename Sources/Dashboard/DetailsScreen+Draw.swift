// SPDX-License-Identifier: Apache-2.0
//
// How the details are drawn: a title, the part of the content that fits, the keys.
// The content is made of lines first and cut to the screen then, so that every size can scroll.

import Frames
import Transfers

extension DetailsScreen {
  /// The rows that content may take.
  static func page(_ size: Size) -> Int {
    switch size.rows {
    case ..<6: size.rows
    case ..<10: size.rows - 2
    default: size.rows - 3
    }
  }

  func draw(on canvas: inout Canvas, _ model: Model) {
    guard let row = model.transfers[id] else { return }
    let size = canvas.size
    let hasFrame = size.rows >= 6
    let all = content(row, model)
    let lines = all.dropFirst(top).prefix(max(0, Self.page(size)))
    for (offset, line) in lines.enumerated() {
      line.draw(on: &canvas, at: offset + (hasFrame ? 1 : 0), model.glyphs)
    }
    guard hasFrame else { return }
    let isWhole = lines.count == all.count
    let place = isWhole ? "" : "\(top + 1)-\(top + lines.count) of \(all.count)"
    drawTitle(row, note: place, on: &canvas, model)
    drawBottom(row, on: &canvas, model)
  }

  /// The keys, and what was said last: on a line of its own if there is one.
  private func drawBottom(_ row: Row, on canvas: inout Canvas, _ model: Model) {
    let last = canvas.size.rows - 1
    let hasOwnLine = canvas.size.rows >= 10
    if hasOwnLine || !model.notice.isFresh {
      Footer(details: row).draw(on: &canvas, at: last)
    }
    guard model.notice.isFresh else { return }
    let notice = DetailsLine.text(" " + model.shown(model.notice.text))
    notice.draw(on: &canvas, at: hasOwnLine ? last - 1 : last, model.glyphs)
  }

  private func drawTitle(
    _ row: Row,
    note: String,
    on canvas: inout Canvas,
    _ model: Model
  ) {
    let room = max(0, canvas.size.columns - 6 - (note.isEmpty ? 0 : note.utf8.count + 3))
    let name = Shortened.middle(model.shown(row.transfer.name), columns: room, glyphs: model.glyphs)
    canvas.rule(
      at: Position(row: 0, column: 0),
      columns: canvas.size.columns,
      title: name,
      note: note,
      glyphs: model.glyphs
    )
  }

  /// All lines, from the state to the log.
  func content(_ row: Row, _ model: Model) -> [DetailsLine] {
    let facts = DetailsFacts(row: row, model: model)
    var lines = facts.lines.flatMap { $0.wrapped(model.size) }
    let map = DetailsMap(row: row, model: model)
    if !map.lines.isEmpty { lines += [.blank] + map.lines }
    let connections = facts.connectionLines
    if !connections.isEmpty { lines += [.blank, .heading("Connections")] + connections }
    if !log.isEmpty {
      lines += [.blank, .heading("Log")] + logLines(model).flatMap { $0.wrapped(model.size) }
    }
    return lines
  }

  /// The newest line first.
  private func logLines(_ model: Model) -> [DetailsLine] {
    log.reversed().map { line in
      let time = Figures.exactTimeOfDay(model.settings.localTime(line.at))
      return .fact(label: time, text: model.shown(line.text))
    }
  }
}
