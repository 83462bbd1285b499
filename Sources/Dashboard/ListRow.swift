// SPDX-License-Identifier: Apache-2.0
//
// ListRow: one transfer in one row of the main list.
// Holds    the rule that a selected row is reversed on its text and never on its bar.

import Frames
import Transfers

/// One row of the list, ready to be drawn.
struct ListRow {
  let row: Row
  /// Its place among those that wait, from 1.
  let turn: Int
  let isSelected: Bool
  let isTagged: Bool
  let layout: ListLayout
  let model: Model

  /// Draws it into a row of the canvas.
  func draw(on canvas: inout Canvas, at line: Int) {
    if isSelected { select(line, on: &canvas) }
    drawLead(on: &canvas, at: line)
    drawBar(on: &canvas, at: line)
    let reason = self.reason
    for (column, span) in zip(layout.columns, layout.spans) where !span.isEmpty {
      guard let text = text(column, hasReason: reason != nil) else { continue }
      let fitted = column.alignment.fitted(text, to: span.count, model.glyphs)
      put(fitted, span, at: line, style: column == .name ? nameStyle : textStyle, on: &canvas)
    }
    if let reason {
      let span = layout.reasonSpan
      let alignment: Alignment = layout.form == .compact && layout.lead == 3 ? .trailing : .leading
      let fitted = alignment.fitted(reason, to: span.count, model.glyphs)
      put(fitted, span, at: line, style: textStyle, on: &canvas)
    }
  }

  private var textStyle: Style { isSelected ? Style(.plain, .reverse) : .plain }

  private var nameStyle: Style { isTagged ? textStyle.adding(.underline) : textStyle }

  private func put(
    _ text: String,
    _ span: Range<Int>,
    at line: Int,
    style: Style,
    on canvas: inout Canvas
  ) {
    let start = Position(row: line, column: span.lowerBound)
    canvas.put(text, at: start, style: style, maxColumns: span.count)
  }

  /// The marker, and the line in reverse but for the cells of the bar.
  private func select(_ line: Int, on canvas: inout Canvas) {
    canvas.put(model.glyphs.selection, at: Position(row: line, column: 0))
    let columns = canvas.size.columns
    canvas.fill(Rect(row: line, column: 1, columns: columns - 1, rows: 1), style: textStyle)
    canvas.cursor = Position(row: line, column: 0)
  }

  private func drawLead(on canvas: inout Canvas, at line: Int) {
    let reverse: Attributes = isSelected ? .reverse : []
    let letter = Style(row.state.letterRole, reverse)
    canvas.put(row.state.letter, at: Position(row: line, column: 1), style: letter)
    if isTagged { canvas.put("*", at: Position(row: line, column: 2), style: textStyle) }
    if row.isInsecure && layout.lead > 3 {
      canvas.put("k", at: Position(row: line, column: 3), style: Style(.attention, reverse))
    }
  }

  private func drawBar(on canvas: inout Canvas, at line: Int) {
    let span = layout.span(.bar)
    guard !span.isEmpty else { return }
    let progress = row.progress
    let bar = ProgressBar(
      done: progress?.done.bytes ?? 0,
      total: progress?.whole.bytes ?? 0,
      width: span.count
    )
    put(bar.text(model.glyphs), span, at: line, style: Style(row.state.barRole), on: &canvas)
  }

  private var reason: String? {
    layout.columns.contains(.timeLeft)
      ? row.reason(model, turn: turn, columns: layout.reasonSpan.count) : row.word(model)
  }

  /// What stands in a column; nil where the bar or the reason stands.
  private func text(_ column: ListLayout.Column, hasReason: Bool) -> String? {
    switch column {
    case .name: return name
    case .bar: return nil
    case .percent: return percent
    case .done: return Figures.size(row.received)
    case .size: return row.total.map(Figures.size) ?? finishedSize ?? "?"
    case .speed: return hasReason ? nil : speed
    case .timeLeft: return hasReason ? nil : timeLeft
    case .connections: return hasReason ? nil : "\(row.live?.sample.connections.count ?? 0)"
    case .host: return model.shown(row.transfer.request.link.origin.host)
    }
  }

  private var name: String {
    let name = model.shown(row.transfer.name)
    let mark = row.isInsecure && layout.lead == 3 ? "(k)" : ""
    let columns = layout.span(.name).count - mark.utf8.count
    return mark + Shortened.middle(name, columns: columns, glyphs: model.glyphs)
  }

  private var percent: String {
    guard let progress = row.progress else {
      return row.received > 0 ? Figures.unknown : "0%"
    }
    return Figures.percent(progress.done, of: progress.whole)
  }

  private var finishedSize: String? {
    Group(row.state) == .done ? Figures.size(row.received) : nil
  }

  private var speed: String {
    guard let speed = row.live?.speed else { return Figures.unknown }
    let isWide = layout.columns.contains(.size)
    return isWide ? Figures.rate(speed) : Figures.narrowRate(speed)
  }

  private var timeLeft: String {
    Figures.timeLeft(row.rest.flatMap { row.live?.timeLeft(for: $0) })
  }
}
