// SPDX-License-Identifier: Apache-2.0
//
// RemoveQuestion: whether to take downloads off the list, and what becomes of their files.
// Holds    the identities of the moment it opened; whatever the list does meanwhile, only those
//          are removed, and one that finished in between stays.
// Never    takes Enter for an answer.

import Frames
import Transfers

/// The question before a removal.
struct RemoveQuestion: Screen {
  /// One download as it was when the question opened.
  private struct Subject: Hashable {
    let id: TransferID
    let name: String
    let facts: String
    let received: ByteCount
    let wasFinished: Bool
  }

  private let subjects: [Subject]

  init(_ rows: [Row]) {
    subjects = rows.map { row in
      Subject(
        id: row.id,
        name: row.transfer.name,
        facts: row.removalFacts,
        received: row.received,
        wasFinished: Group(row.state) == .done
      )
    }
  }

  var mustBeSeen: Bool { true }

  mutating func settle(_ model: inout Model) -> Bool {
    subjects.contains { model.transfers.place(of: $0.id) != nil }
  }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    switch key {
    case .character("k"): answer(deleteFiles: false, &model)
    case .character("f"): answer(deleteFiles: true, &model)
    case .character("n"), .escape, .control("c"): model.say("nothing removed")
    default: return .stay
    }
    return .close
  }

  private func answer(deleteFiles: Bool, _ model: inout Model) {
    let still = subjects.compactMap { subject in
      model.transfers[subject.id].map { (subject, Group($0.state) == .done) }
    }
    let ids = still.filter { subject, isFinished in isFinished == subject.wasFinished }
      .map { subject, _ in subject.id }
    let finished = still.count - ids.count
    if !ids.isEmpty {
      let what = model.named(ids)
      for id in ids { model.mark(id, as: .removing) }
      model.ask(.remove(ids, deleteFiles: deleteFiles))
      model.say("removing \(what)" + (deleteFiles ? " and files" : "") + note(finished))
    } else {
      model.say("nothing removed" + note(finished))
    }
  }

  private func note(_ finished: Int) -> String {
    finished == 0 ? "" : "; \(finished) finished meanwhile and stays"
  }

  func draw(on canvas: inout Canvas, _ model: Model) {
    let name = Figures.counted(subjects.count, "download")
    let box = Dialog(
      title: "Remove \(name)?",
      body: body(canvas.size, model),
      hint: "k / f / n   Esc = n"
    )
    box.draw(on: &canvas, model.glyphs)
  }

  private func body(_ size: Size, _ model: Model) -> [Dialog.Line] {
    let answers = answers
    let room = max(1, Dialog.bodyRows(in: size) - answers.count - 1)
    let fit = subjects.count <= room ? subjects.count : max(0, room - 1)
    var lines = subjects.prefix(fit).map { subject in
      Dialog.Line(name: model.shown(subject.name), note: subject.facts)
    }
    if fit < subjects.count { lines.append(Dialog.Line("and \(subjects.count - fit) more")) }
    return lines + [Dialog.Line("")] + answers.map { Dialog.Line($0) }
  }

  private var answers: [String] {
    let bytes = subjects.reduce(ByteCount(0)) { $0 + $1.received }
    let complete = subjects.contains(where: \.wasFinished) ? ", complete ones included" : ""
    return [
      "  k  off the list, keep files",
      "  f  delete files too (\(Figures.size(bytes)))\(complete)",
      "  n  do nothing",
    ]
  }
}

extension Row {
  /// How much there is and what it does, for the question.
  fileprivate var removalFacts: String {
    let amount =
      total.map { Group(state) == .done ? Figures.size($0) : Figures.part(received, of: $0) }
      ?? Figures.size(received)
    return "\(amount), \(state.plainWord)"
  }
}
