// SPDX-License-Identifier: Apache-2.0
//
// Action: everything a user can do with a key, in one table.
// Holds    for each action its keys, where it works, its footer word and its help text; the key
//          map, the footer and the help screen are made from this table and nothing else.
// Never    does anything; the screens do.

import Frames

/// Something a user can do with a key.
struct Action: Sendable {
  /// What it is.
  enum ID: Hashable, Sendable {
    case move(Move)
    case open, back
    case tag, invertTags, untag
    case pause, pauseAll, remove, retry, edit, limit, clear, add
    case help, redraw, suspend, quit, quitNow
  }

  /// The heading it stands under in the help.
  enum Heading: String, CaseIterable, Sendable {
    case move = "Move"
    case open = "Open"
    case tag = "Tag"
    case act = "Act"
    case program = "Program"
  }

  /// Where its keys work.
  struct Places: OptionSet, Sendable {
    let rawValue: Int
    static let list = Places(rawValue: 1)
    static let details = Places(rawValue: 2)
    static let both: Places = [.list, .details]
  }

  let id: ID
  let keys: [Key]
  let heading: Heading
  let places: Places
  /// The word in the footer; nil when it does not stand there.
  let word: String?
  /// What the help says.
  let help: String

  private init(
    _ id: ID,
    _ keys: [Key],
    _ heading: Heading,
    _ help: String,
    _ places: Places = .both,
    word: String? = nil
  ) {
    self.id = id
    self.keys = keys
    self.heading = heading
    self.places = places
    self.word = word
    self.help = help
  }

  /// All actions, in the order of the help.
  static let table: [Action] = [
    Action(.move(.down), keys("j", .down, .control("n")), .move, "down"),
    Action(.move(.up), keys("k", .up, .control("p")), .move, "up"),
    Action(.move(.halfDown), keys("", .control("d")), .move, "half a page down"),
    Action(.move(.halfUp), keys("", .control("u")), .move, "half a page up"),
    Action(.move(.pageDown), keys("", .pageDown), .move, "page down"),
    Action(.move(.pageUp), keys("", .pageUp), .move, "page up"),
    Action(.move(.first), keys("g", .home), .move, "first"),
    Action(.move(.last), keys("G", .end), .move, "last"),
    Action(.open, [.enter] + keys("l", .right), .open, "details", .list, word: "Details"),
    Action(.back, [.escape] + keys("h", .left), .open, "back", word: "Back"),
    Action(.tag, keys(" "), .tag, "tag, move down", .list, word: "Tag"),
    Action(.invertTags, keys("*"), .tag, "invert tags", .list),
    Action(.untag, keys("U"), .tag, "untag all", .list),
    Action(.pause, keys("p"), .act, "pause, resume", word: "Pause"),
    Action(.pauseAll, keys("P"), .act, "pause all, resume", .list),
    Action(.remove, keys("d", .delete), .act, "remove, asks", word: "Remove"),
    Action(.retry, keys("r"), .act, "retry now", word: "Retry"),
    Action(.edit, keys("e"), .act, "give a new link", word: "Edit"),
    Action(.limit, keys("t"), .act, "speed limits"),
    Action(.clear, keys("c"), .act, "clear finished", .list, word: "Clear"),
    Action(.add, keys("a"), .act, "add (or paste)", .list, word: "Add"),
    Action(.help, keys("?", .function(1)), .program, "this help", word: "Help"),
    Action(.redraw, keys("", .control("l")), .program, "redraw"),
    Action(.suspend, keys("", .control("z")), .program, "suspend"),
    Action(.quit, keys("q", .control("c")), .program, "back, or quit", word: "Quit"),
    Action(.quitNow, keys("Q"), .program, "quit, never asks"),
  ]

  /// Letters first, then other keys.
  private static func keys(_ letters: String, _ others: Key...) -> [Key] {
    letters.map(Key.character) + others
  }

  /// The first key, which stands in the footer.
  var label: String { keys[0].label }

  /// All keys for the help, such as `j Down C-n`.
  var labels: String { keys.map(\.label).joined(separator: " ") }
}
