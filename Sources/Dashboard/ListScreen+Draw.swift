// SPDX-License-Identifier: Apache-2.0
//
// How the main list is drawn: header, headings, the visible rows, peek, notice, footer.
// Cost     the visible rows, and one pass over a byte for each row above them if one of them waits.

import Frames
import Transfers

extension ListScreen {
  func draw(on canvas: inout Canvas, _ model: Model) {
    let layout = ListLayout(canvas.size)
    let header = Header(model: model)
    switch layout.form {
    case .oneLine: header.drawOneLine(on: &canvas)
    case .summary:
      header.drawSummary(on: &canvas)
      if !model.transfers.isEmpty { drawList(on: &canvas, layout, model) }
      if canvas.size.rows > 2 { drawNotice(on: &canvas, at: canvas.size.rows - 1, model) }
    case .compact:
      header.drawFirst(on: &canvas)
      drawList(on: &canvas, layout, model)
      drawPeekOrNotice(on: &canvas, at: canvas.size.rows - 2, model)
    case .full:
      header.drawFirst(on: &canvas)
      header.drawSecond(on: &canvas)
      drawHeadings(on: &canvas, layout, model)
      drawList(on: &canvas, layout, model)
      drawPeek(on: &canvas, at: canvas.size.rows - 3, model)
      drawNotice(on: &canvas, at: canvas.size.rows - 2, model)
    }
    guard layout.form == .compact || layout.form == .full else { return }
    Footer(list: model).draw(on: &canvas, at: canvas.size.rows - 1)
  }

  private func drawHeadings(on canvas: inout Canvas, _ layout: ListLayout, _ model: Model) {
    let style = Style(.header)
    canvas.fill(Rect(row: 2, column: 0, columns: canvas.size.columns, rows: 1), style: style)
    canvas.put("St", at: Position(row: 2, column: 1), style: style)
    for (column, span) in zip(layout.columns, layout.spans) {
      let text = column.alignment.fitted(column.title, to: span.count, model.glyphs)
      canvas.put(text, at: Position(row: 2, column: span.lowerBound), style: style)
    }
  }

  private func drawList(on canvas: inout Canvas, _ layout: ListLayout, _ model: Model) {
    guard !model.transfers.isEmpty else { return drawEmpty(on: &canvas, layout.listRows, model) }
    let places = top..<min(top + layout.listRows.count, model.transfers.count)
    var turn: Int?
    for (line, place) in zip(layout.listRows, places) {
      let row = model.transfers[place]
      if row.state == .queued {
        turn = 1 + (turn ?? model.transfers.waiting(before: place))
      }
      ListRow(
        row: row,
        turn: turn ?? 0,
        isSelected: row.id == model.selected,
        isTagged: model.tags.contains(row.id),
        layout: layout,
        model: model
      ).draw(on: &canvas, at: line)
    }
  }

  private func drawEmpty(on canvas: inout Canvas, _ rows: Range<Int>, _ model: Model) {
    let lines = [
      "Nothing to download yet.", "", "a   add links (or just paste them here)", "?   all keys",
    ]
    let width = lines.map(\.utf8.count).max() ?? 0
    let start = max(rows.lowerBound, rows.lowerBound + (rows.count - lines.count) / 2)
    let column = max(1, (canvas.size.columns - width) / 2)
    for (line, text) in zip(start..<rows.upperBound, lines) {
      let short = Shortened.end(text, columns: canvas.size.columns - column, glyphs: model.glyphs)
      canvas.put(short, at: Position(row: line, column: column))
    }
  }

  private func drawPeekOrNotice(on canvas: inout Canvas, at line: Int, _ model: Model) {
    if model.notice.isFresh || model.selected == nil {
      drawNotice(on: &canvas, at: line, model)
    } else {
      drawPeek(on: &canvas, at: line, model)
    }
  }

  private func drawPeek(on canvas: inout Canvas, at line: Int, _ model: Model) {
    guard let row = model.selectedRow else { return }
    let peek = PeekLine(row: row, model: model)
    let text = canvas.size.columns < 64 ? peek.shortText : peek.text
    put(text, on: &canvas, at: line, model)
  }

  private func drawNotice(on canvas: inout Canvas, at line: Int, _ model: Model) {
    let notice = model.notice
    let stamp = notice.at.map { Figures.timeOfDay(model.settings.localTime($0)) + "  " } ?? ""
    put(stamp + model.shown(notice.text), on: &canvas, at: line, model)
  }

  private func put(_ text: String, on canvas: inout Canvas, at line: Int, _ model: Model) {
    let short = Shortened.end(text, columns: canvas.size.columns - 1, glyphs: model.glyphs)
    canvas.put(short, at: Position(row: line, column: 1))
  }
}
