// SPDX-License-Identifier: Apache-2.0
//
// LinkDialog: another link for a download that has begun, an expired one's successor, say.
// Holds    the identity of the moment it opened; goes when that download is done or gone.
// Never    shows a password or a signed query of the present link, nor a password that is typed;
//          never starts anything over.

import Frames
import Transfers

/// The dialog that takes a new link.
struct LinkDialog: Screen {
  private let id: TransferID
  private var editor = LineEditor()
  private var finding = ""

  init(_ row: Row) {
    id = row.id
  }

  var takesText: Bool { true }

  mutating func settle(_ model: inout Model) -> Bool {
    model.transfers[id]?.takesNewLink == true
  }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    switch key {
    case .escape, .control("c"): return .close
    case .enter, .newline: return take(&model)
    case .paste(let text):
      // One line is wanted: the first that is not blank.
      editor.insert(text.split(whereSeparator: \.isNewline).first.map(String.init) ?? "")
      judge(model)
    default: if editor.press(key) { judge(model) }
    }
    return .stay
  }

  private mutating func judge(_ model: Model) {
    finding = ""
    guard editor.lines != [""] else { return }
    switch model.settings.judge(editor.lines).first ?? .nothing {
    case .good, .nothing: break
    case .noScheme(let request): finding = "will use \(request.link.origin.scheme.rawValue)"
    case .notALink(let reason): finding = reason
    case .unsupportedScheme(let scheme): finding = "\(scheme) not supported"
    }
  }

  private func take(_ model: inout Model) -> Step {
    guard let row = model.transfers[id], editor.lines != [""] else { return .close }
    guard let link = model.settings.judge(editor.lines).first?.link else {
      model.say("not a link: \(finding.isEmpty ? "nothing to take" : finding)")
      return .stay
    }
    guard link != row.transfer.request.link else {
      model.say("that is the link it has; r tries it again")
      return .stay
    }
    model.ask(.relink(id, link))
    model.say("comparing the new link with what is there of \(model.named([id]))")
    return .close
  }
}

// MARK: - Drawing

extension LinkDialog {
  private static let indent = 2

  func draw(on canvas: inout Canvas, _ model: Model) {
    guard let row = model.transfers[id] else { return }
    let lines = body(row, model, canvas.size)
    let dialog = Dialog(title: "New link", body: lines, hint: "Enter take  Esc cancel")
    dialog.draw(on: &canvas, model.glyphs)
    let place = Dialog.place(in: canvas.size, rows: lines.count)
    let input = lines.count - 2
    guard canvas.size.rows > 3, input < place.body.size.rows else {
      return drawInput(row: 0, canvas.bounds, on: &canvas, model)
    }
    drawInput(row: place.body.origin.row + input, place.body, on: &canvas, model)
  }

  /// What it is about, the present link, room for the new one, and what that comes to.
  private func body(_ row: Row, _ model: Model, _ size: Size) -> [Dialog.Line] {
    let said = model.notice.isFresh ? model.shown(model.notice.text) : model.shown(finding)
    let input = [Dialog.Line(""), Dialog.Line(said)]
    guard Dialog.bodyRows(in: size) > 6 else { return input }
    return [
      Dialog.Line(name: model.shown(row.transfer.name), note: ""),
      Dialog.Line("Its bytes stay, if the new link has the same ones."),
      Dialog.Line(""),
      Dialog.Line("Now  " + model.shown(row.transfer.request.link.shown)),
      Dialog.Line(""),
    ] + input
  }

  /// The cursor's line, scrolled so that the cursor is seen.
  private func drawInput(row: Int, _ body: Rect, on canvas: inout Canvas, _ model: Model) {
    let left = body.origin.column
    let columns = max(0, body.size.columns - Self.indent)
    let line = Rect(row: row, column: left, columns: body.size.columns, rows: 1)
    canvas.fill(line)
    canvas.put(">", at: Position(row: row, column: left))
    canvas.putEdited(
      model.shown(editor.shown(editor.row)),
      before: model.shown(editor.shownHead),
      at: Position(row: row, column: left + Self.indent),
      columns: columns
    )
  }
}
