// SPDX-License-Identifier: Apache-2.0
//
// AddDialog: any number of links, typed or pasted, judged line by line, added by one Enter.
// Holds    the text and what it comes to; line feeds in a paste are new lines, never an answer.
// Never    reads a clipboard, or shows a password; a signed query only in the line of the cursor.

import Frames
import Transfers

/// The dialog that adds links.
struct AddDialog: Screen {
  private var editor = LineEditor()
  private var batch = LinkBatch()
  /// Whether links of downloads that have begun wait for an answer.
  private var isAsking = false
  /// The first visible line.
  private var top = 0

  /// Opens with what was pasted on the list, or empty.
  init(pasted: String, _ model: Model) {
    editor.insert(pasted)
    batch.judge(editor.lines, model)
    follow(model.size)
  }

  var mustBeSeen: Bool { isAsking }
  var takesText: Bool { !isAsking }

  mutating func settle(_ model: inout Model) -> Bool {
    batch.judge(editor.lines, model)
    isAsking = isAsking && !batch.newLinks.isEmpty
    follow(model.size)
    return true
  }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    if isAsking { return answer(key, &model) }
    switch key {
    case .escape, .control("c"): return .close
    case .enter: return add(&model)
    default: if editor.press(key) { batch.judge(editor.lines, model) }
    }
    return .stay
  }

  private mutating func add(_ model: inout Model) -> Step {
    isAsking = !batch.newLinks.isEmpty
    guard !isAsking else { return .stay }
    let requests = batch.requests(withLinks: true)
    guard !requests.isEmpty else {
      model.say(editor.lines == [""] ? "nothing to add" : "nothing to add: \(batch.summary)")
      return editor.lines == [""] ? .close : .stay
    }
    model.ask(.add(requests))
    model.say("adding \(batch.summary)")
    return .close
  }

  /// One answer for all links that bear the names of downloads that have begun.
  private mutating func answer(_ key: Key, _ model: inout Model) -> Step {
    switch key {
    case .character("y"): finish(goingOn: true, &model)
    case .character("n"): finish(goingOn: false, &model)
    case .escape, .control("c"):
      isAsking = false
      return .stay
    default: return .stay
    }
    return .close
  }

  private func finish(goingOn: Bool, _ model: inout Model) {
    let requests = batch.requests(withLinks: !goingOn)
    if goingOn { for new in batch.newLinks { model.ask(.relink(new.id, new.link)) } }
    if !requests.isEmpty { model.ask(.add(requests)) }
    let links = Figures.counted(batch.newLinks.count, "new link")
    model.say(goingOn ? "comparing \(links)" : "adding \(requests.count) new")
  }

  /// Keeps the cursor's line in sight.
  private mutating func follow(_ size: Size) {
    let height = max(1, Self.editorRows(in: size, lines: editor.lines.count))
    top = max(0, min(top, editor.lines.count - height))
    top = max(min(top, editor.row), editor.row - height + 1)
  }
}

// MARK: - Drawing

extension AddDialog {
  private static let instruction =
    "Paste any number of links. Enter adds them, Ctrl-J starts a new line."

  /// The rows for lines: at least six if there is room, beside instruction, two blanks and sum.
  private static func editorRows(in size: Size, lines: Int) -> Int {
    let room = Dialog.bodyRows(in: size)
    guard room > 5 else { return max(0, room - 1) }
    return min(max(6, lines), room - 4)
  }

  func draw(on canvas: inout Canvas, _ model: Model) {
    guard canvas.size.rows > 3 else { return drawTiny(on: &canvas, model) }
    let height = Self.editorRows(in: canvas.size, lines: editor.lines.count)
    let hasRoom = Dialog.bodyRows(in: canvas.size) > 5
    let place = Dialog.place(in: canvas.size, rows: hasRoom ? height + 4 : height + 1)
    let hint =
      isAsking ? "y go on  n add as new  Esc back" : "Enter add  C-j line  Esc cancel"
    let frame = Dialog(title: "Add downloads", body: [], hint: hint)
    frame.drawFrame(on: &canvas, place, model.glyphs)
    let body = place.body
    var row = body.origin.row
    if hasRoom {
      put(Self.instruction, row: row, body, on: &canvas, model.glyphs)
      row += 1
    }
    for offset in 0..<height where top + offset < editor.lines.count {
      drawLine(top + offset, row: row + offset, body, on: &canvas, model)
    }
    row += height + (hasRoom ? 1 : 0)
    guard row < body.rowRange.upperBound else { return }
    put(sum(model), row: row, body, on: &canvas, model.glyphs)
  }

  /// The cursor's line, and the sum if there is a second row.
  private func drawTiny(on canvas: inout Canvas, _ model: Model) {
    canvas.fill(canvas.bounds)
    drawLine(editor.row, row: 0, canvas.bounds, on: &canvas, model)
    put(sum(model), row: 1, canvas.bounds, on: &canvas, model.glyphs)
  }

  /// What the lines come to, or what was just said.
  private func sum(_ model: Model) -> String {
    if isAsking { return question(model) }
    return model.notice.isFresh ? model.shown(model.notice.text) : batch.summary
  }

  private func question(_ model: Model) -> String {
    let ids = batch.newLinks.map(\.id)
    let subject = ids.count == 1 ? "\(model.named(ids)) has" : "\(ids.count) downloads have"
    return "y / n: \(subject) begun; go on from the new link?"
  }

  private func put(_ text: String, row: Int, _ body: Rect, on canvas: inout Canvas, _ g: Glyphs) {
    let short = Shortened.end(text, columns: body.size.columns, glyphs: g)
    canvas.put(short, at: Position(row: row, column: body.origin.column))
  }

  /// Draws one line with its finding; the cursor's line is scrolled so that the cursor is seen.
  private func drawLine(
    _ index: Int,
    row: Int,
    _ body: Rect,
    on canvas: inout Canvas,
    _ model: Model
  ) {
    let isCurrent = index == editor.row
    if isCurrent {
      canvas.put(">", at: Position(row: row, column: body.origin.column))
    }
    let origin = Position(row: row, column: body.origin.column + 2)
    let columns = max(0, body.size.columns - 2)
    let text = editor.shown(index)
    let line = Dialog.Line(
      model.shown(isCurrent ? text : SecretQuery.hidden(in: text)),
      note: model.shown(batch.findings[index].note)
    )
    guard isCurrent else {
      line.draw(on: &canvas, at: origin, columns: columns, model.glyphs)
      return
    }
    drawCurrent(line, at: origin, columns: columns, on: &canvas, model)
  }

  private func drawCurrent(
    _ line: Dialog.Line,
    at origin: Position,
    columns: Int,
    on canvas: inout Canvas,
    _ model: Model
  ) {
    let before = model.shown(editor.shownHead)
    let noteWidth = TextWidth.columns(of: line.note)
    let hasNote = noteWidth > 0 && columns >= noteWidth + 12
    let room = hasNote ? columns - noteWidth - 2 : columns
    canvas.putEdited(line.text, before: before, at: origin, columns: room)
    guard hasNote else { return }
    canvas.put(
      line.note,
      at: Position(row: origin.row, column: origin.column + columns - noteWidth)
    )
  }
}
