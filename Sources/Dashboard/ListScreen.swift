// SPDX-License-Identifier: Apache-2.0
//
// ListScreen: the main screen, always at the bottom of the stack.
// Holds    the first visible place; selection and tags are the model's.
// Never    acts on a place: what is done is done to identities.

import Frames
import Transfers

/// The main list.
struct ListScreen: Screen {
  /// The place of the row at the top.
  private(set) var top = 0

  var isOpaque: Bool { true }

  mutating func settle(_ model: inout Model) -> Bool {
    let height = ListLayout(model.size).listRows.count
    let place = model.selectedPlace
    top = max(0, min(top, model.transfers.count - height))
    top = min(top, place)
    if height > 0 { top = max(top, place - height + 1) }
    return true
  }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    if case .paste(let text) = key { return .open(AddDialog(pasted: text, model)) }
    guard let action = KeyMap.action(for: key, in: .list) else {
      model.sayUnknownKey()
      return .stay
    }
    return perform(action, &model)
  }

  private func perform(_ action: Action.ID, _ model: inout Model) -> Step {
    switch action {
    case .move(let move): model.move(move)
    case .open: return model.openDetails()
    case .tag: model.tagAndMoveDown()
    case .invertTags: model.invertTags()
    case .untag: model.untagAll()
    case .pause: model.pauseOrResume(model.targets)
    case .pauseAll: model.pauseOrResumeAll()
    case .remove: return model.askToRemove(model.targets)
    case .retry: model.retry(model.targets)
    case .edit: return model.editLink(of: model.selected)
    case .limit: return .open(LimitDialog(model.targets, model))
    case .clear: model.clearFinished()
    case .add: return .open(AddDialog(pasted: "", model))
    case .help: return .open(HelpScreen())
    case .quit: return model.quitOrAsk()
    case .back, .redraw, .suspend, .quitNow: break
    }
    return .stay
  }
}

extension Model {
  fileprivate mutating func move(_ move: Move) {
    let page = ListLayout(size).listRows.count
    select(place: move.from(selectedPlace, count: transfers.count, page: page))
  }

  fileprivate mutating func tagAndMoveDown() {
    guard let selected else { return }
    toggleTag(selected)
    move(.down)
  }

  fileprivate mutating func openDetails() -> Step {
    guard let row = selectedRow else { return .stay }
    ask(.requestLog(row.id))
    return .open(DetailsScreen(row))
  }

  /// Quits, after a question if something runs.
  mutating func quitOrAsk() -> Step {
    guard transfers.tally[.active] > 0 else {
      ask(.quit)
      return .stay
    }
    return .open(QuitQuestion())
  }
}
