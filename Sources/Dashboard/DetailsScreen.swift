// SPDX-License-Identifier: Apache-2.0
//
// DetailsScreen: everything about one transfer, full screen, scrollable at every size.
// Holds    an identity, never a place; goes when its transfer leaves the list.
// Never    waits for the log: it asks, and shows what has come.

import Frames
import Transfers

/// All about one transfer.
struct DetailsScreen: Screen {
  let id: TransferID
  private(set) var log: [LogLine] = []
  private(set) var top = 0
  private var lastState: TransferState

  init(_ row: Row) {
    id = row.id
    lastState = row.state
  }

  var isOpaque: Bool { true }

  mutating func take(log lines: [LogLine], of id: TransferID) {
    if id == self.id { log = lines }
  }

  mutating func settle(_ model: inout Model) -> Bool {
    guard let row = model.transfers[id] else { return false }
    if row.state != lastState {
      lastState = row.state
      model.ask(.requestLog(id))
    }
    top = max(0, min(top, content(row, model).count - Self.page(model.size)))
    return true
  }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    if case .paste(let text) = key { return .open(AddDialog(pasted: text, model)) }
    guard let action = KeyMap.action(for: key, in: .details) else {
      model.sayUnknownKey()
      return .stay
    }
    return perform(action, &model)
  }

  private mutating func perform(_ action: Action.ID, _ model: inout Model) -> Step {
    switch action {
    case .move(let move): scroll(move, model)
    case .back, .quit: return .close
    case .pause: model.pauseOrResume([id])
    case .retry: model.retry([id])
    case .limit: return .open(LimitDialog([id], model))
    case .remove: return model.askToRemove([id])
    case .edit: return model.editLink(of: id)
    case .help: return .open(HelpScreen())
    case .open, .tag, .invertTags, .untag, .pauseAll, .clear, .add, .redraw, .suspend, .quitNow:
      break
    }
    return .stay
  }

  private mutating func scroll(_ move: Move, _ model: Model) {
    guard let row = model.transfers[id] else { return }
    let count = content(row, model).count
    let page = Self.page(model.size)
    top = max(0, min(move.from(top, count: count, page: page), count - page))
  }
}
