// SPDX-License-Identifier: Apache-2.0
//
// QuitQuestion: whether to leave while something runs.
// Never    takes Enter for an answer; a second Ctrl-C is one.

import Frames
import Transfers

/// The question before leaving.
struct QuitQuestion: Screen {
  var mustBeSeen: Bool { true }

  mutating func press(_ key: Key, _ model: inout Model) -> Step {
    switch key {
    case .character("y"), .control("c"): model.ask(.quit)
    case .character("n"), .escape: break
    default: return .stay
    }
    return .close
  }

  func draw(on canvas: inout Canvas, _ model: Model) {
    let box = Dialog(
      title: "Quit?",
      body: text(model.transfers.tally[.active]).map { Dialog.Line($0) },
      hint: "y quit  n stay"
    )
    box.draw(on: &canvas, model.glyphs)
  }

  private func text(_ active: Int) -> [String] {
    switch active {
    case 0: ["Nothing is running any more."]
    case 1: ["1 download is running.", "It stops and continues next time."]
    default: ["\(active) downloads are running.", "They stop and continue next time."]
    }
  }
}
