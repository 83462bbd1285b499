// SPDX-License-Identifier: Apache-2.0
//
// KeyMap: from a key to its action, made once from the table of actions; and the names of keys.
// Holds    at most one action for a key in each place; a test proves it.
// Never    knows a key that is not in the table.

import Frames

/// Which action a key stands for.
enum KeyMap {
  private static let list = map(.list)
  private static let details = map(.details)

  /// The action of a key in one place.
  static func action(for key: Key, in places: Action.Places) -> Action.ID? {
    places == .details ? details[key] : list[key]
  }

  private static func map(_ place: Action.Places) -> [Key: Action.ID] {
    let pairs = Action.table.filter { $0.places.contains(place) }
      .flatMap { action in action.keys.map { ($0, action.id) } }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension Key {
  /// What stands for the key in footer and help, in ASCII.
  var label: String {
    switch self {
    case .character(" "): "Spc"
    case .character(let character): String(character)
    case .alt(let character): "M-\(character)"
    case .control(let character): "C-\(character)"
    case .enter: "Enter"
    case .newline: "C-j"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backTab: "S-Tab"
    case .backspace: "BkSp"
    case .delete: "Del"
    case .insert: "Ins"
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .home: "Home"
    case .end: "End"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .function(let number): "F\(number)"
    case .paste: "paste"
    }
  }
}
