// SPDX-License-Identifier: Apache-2.0
//
// LimitDialog: the limit of everything together and that of some downloads, changed while they run.
// Holds    the identities of the moment it opened; only those are limited.
// Never    sets anything while one of its lines cannot be read.

import Frames
import Transfers

/// The dialog for speed limits.
struct LimitDialog: Screen {
  /// A line that can be edited.
  private struct Field {
    var editor = LineEditor()
    let was: String

    init(_ text: String) {
      was = text
      editor.insert(text)
    }

    var text: String { editor.lines.joined(separator: " ") }

    /// Takes a key; what would begin a new line is a blank.
    mutating func press(_ key: Key) {
      switch key {
      case .newline: break
      case .paste(let text):
        editor.insert(String(text.map { $0.isNewline ? " " : $0 }))
      default: _ = editor.press(key)
      }
    }
  }

  private let ids: [TransferID]
  private var fields: [Field]
  private var current = 0
  private var problem = ""

  /// Opens with the limits of now.
  init(_ ids: [TransferID], _ model: Model) {
    self.ids = ids
    fields = [Field(model.timetable?.text ?? "")]
    guard !ids.isEmpty else { return }
    let limits = Set(ids.map { model.transfers[$0]?.transfer.request.rateLimit })
    fields.append(Field(limits.count == 1 ? limits.first??.text ?? "" : ""))
  }

  var takesText: Bool { true }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    problem = ""
    switch key {
    case .escape, .control("c"): return .close
    case .enter: return set(&model)
    case .tab, .backTab, .up, .down: current = (current + 1) % fields.count
    default: fields[current].press(key)
    }
    return .stay
  }

  private mutating func set(_ model: inout Model) -> Step {
    do throws(TimetableError) {
      let all = try Self.timetable(fields[0].text)
      let each = fields.count > 1 ? try Self.rate(fields[1].text) : nil
      if fields[0].text != fields[0].was { limit(to: all, &model) }
      if fields.count > 1, fields[1].text != fields[1].was { limit(ids, to: each, &model) }
      return .close
    } catch {
      problem = error.remedy
      return .stay
    }
  }

  private func limit(to timetable: Timetable?, _ model: inout Model) {
    model.ask(.limitAll(timetable))
    model.say("limit for everything: \(model.shown(timetable?.text ?? "none"))")
  }

  private func limit(_ ids: [TransferID], to rate: ByteRate?, _ model: inout Model) {
    model.ask(.limit(ids, rate))
    model.say("limit for \(model.named(ids)): \(rate.map(Figures.rate) ?? "none")")
  }

  private static func isNone(_ text: String) -> Bool {
    let word = text.filter { $0 != " " }.lowercased()
    return ["", "off", "none", "0"].contains(word)
  }

  private static func timetable(_ text: String) throws(TimetableError) -> Timetable? {
    isNone(text) ? nil : try Timetable(parsing: text)
  }

  private static func rate(_ text: String) throws(TimetableError) -> ByteRate? {
    if isNone(text) { return nil }
    guard let rate = ByteRate(parsing: text) else { throw .notARate(text) }
    return rate
  }
}

// MARK: - Drawing

extension LimitDialog {
  private static let instruction = "Bytes a second, such as 800K or 2.5M. Empty is no limit."

  func draw(on canvas: inout Canvas, _ model: Model) {
    let hasRoom = Dialog.bodyRows(in: canvas.size) >= fields.count + 4
    let count = hasRoom ? fields.count + 4 : fields.count
    let place = Dialog.place(in: canvas.size, rows: count)
    let hint = fields.count > 1 ? "Enter set  Tab other line  Esc cancel" : "Enter set  Esc cancel"
    let title = problem.isEmpty || hasRoom ? "Speed limits" : model.shown(problem)
    Dialog(title: title, body: [], hint: hint).drawFrame(on: &canvas, place, model.glyphs)
    let body = place.body
    guard hasRoom else { return drawFields(on: &canvas, body, model) }
    put(Self.instruction, row: 0, body, on: &canvas, model)
    let inner = Rect(
      row: body.origin.row + 2,
      column: body.origin.column,
      columns: body.size.columns,
      rows: fields.count
    )
    drawFields(on: &canvas, inner, model)
    put(problem.isEmpty ? remark(model) : problem, row: count - 1, body, on: &canvas, model)
  }

  private func put(_ text: String, row: Int, _ body: Rect, on canvas: inout Canvas, _ model: Model)
  {
    let short = Shortened.end(model.shown(text), columns: body.size.columns, glyphs: model.glyphs)
    let position = Position(row: body.origin.row + row, column: body.origin.column)
    canvas.put(short, at: position)
  }

  /// As many lines as there is room for, the current one among them.
  private func drawFields(on canvas: inout Canvas, _ body: Rect, _ model: Model) {
    let rows = min(fields.count, max(1, body.size.rows))
    let first = max(0, min(current, fields.count - rows))
    for row in 0..<rows {
      drawField(first + row, row: body.origin.row + row, body, on: &canvas, model)
    }
  }

  private func drawField(
    _ index: Int,
    row: Int,
    _ body: Rect,
    on canvas: inout Canvas,
    _ model: Model
  ) {
    let width = body.size.columns < 30 ? 6 : max(12, min(20, body.size.columns / 3))
    let label = index > 0 ? model.named(ids) : width < 12 ? "All" : "All together"
    let left = body.origin.column
    canvas.fill(Rect(row: row, column: left, columns: body.size.columns, rows: 1))
    if index == current { canvas.put(">", at: Position(row: row, column: left)) }
    let short = Shortened.middle(label, columns: width, glyphs: model.glyphs)
    canvas.put(short, at: Position(row: row, column: left + 2))
    let start = Position(row: row, column: left + width + 4)
    let room = max(1, body.size.columns - width - 4)
    let field = fields[index]
    if index == current {
      let before = model.shown(field.editor.head)
      canvas.putEdited(model.shown(field.text), before: before, at: start, columns: room)
    } else {
      let text = Shortened.end(model.shown(field.text), columns: room, glyphs: model.glyphs)
      canvas.put(text, at: start)
    }
  }

  /// What is in force, and for how long; else what a timetable looks like.
  private func remark(_ model: Model) -> String {
    let example = "For all together also a timetable: 08:00,512K 18:00,off"
    guard let timetable = model.timetable, let wall = model.wall else { return example }
    let time = model.settings.localTime(wall)
    guard let minutes = timetable.minutesToChange(after: time) else { return example }
    let now = timetable.rate(at: time).map(Figures.rate) ?? "no limit"
    return "Now \(now), for another \(Figures.timeLeft(.seconds(minutes * 60)))"
  }
}
