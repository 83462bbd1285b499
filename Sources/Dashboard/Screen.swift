// SPDX-License-Identifier: Apache-2.0
//
// Screen: what lies on the stack of the dashboard, and what a key on it leads to.
// Holds    the state of one screen; everything shared is in the model.
// Never    reaches another screen: it asks the dashboard to open or close one.

import Frames
import Transfers

/// What a key on a screen leads to.
enum Step {
  /// The screen stays.
  case stay
  /// The screen goes, and the one below is seen again.
  case close
  /// Another screen comes on top.
  case open(any Screen)
}

/// One screen, dialog or question.
protocol Screen: Sendable {
  /// Whether nothing below it is to be seen.
  var isOpaque: Bool { get }
  /// Whether keys are dropped until it was painted, because they were meant for what was there.
  var mustBeSeen: Bool { get }
  /// Whether every letter is text, `Q` too.
  var takesText: Bool { get }

  /// Takes a key.
  mutating func press(_ key: Key, _ model: inout Model) -> Step

  /// Follows a change of the list or of the size; false if the screen has lost its subject.
  mutating func settle(_ model: inout Model) -> Bool

  /// Takes the log of a transfer.
  mutating func take(log: [LogLine], of id: TransferID)

  /// Draws itself over what is there.
  func draw(on canvas: inout Canvas, _ model: Model)
}

extension Screen {
  var isOpaque: Bool { false }
  var mustBeSeen: Bool { false }
  var takesText: Bool { false }
  mutating func settle(_ model: inout Model) -> Bool { true }
  mutating func take(log: [LogLine], of id: TransferID) {}
}
