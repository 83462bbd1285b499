// SPDX-License-Identifier: Apache-2.0
//
// LineEditor: text of several lines with a cursor, edited key by key.
// Holds    at least one line, and a cursor that lies in the text; counted in characters.
// Never    knows what the lines mean beyond what in them is secret, and never draws.

import Frames
import Transfers

/// Text of several lines with a cursor.
struct LineEditor: Hashable, Sendable {
  private(set) var lines: [String] = [""]
  /// The line of the cursor, from 0.
  private(set) var row = 0
  /// The characters before the cursor in its line.
  private(set) var column = 0

  /// The current line before the cursor.
  var head: String { String(lines[row].prefix(column)) }

  /// A line for people's eyes: its secrets are stars.
  func shown(_ row: Int) -> String { SecretInput.masked(lines[row]) }

  /// The same of the current line before the cursor.
  var shownHead: String { String(shown(row).prefix(column)) }

  /// The current line from the cursor on.
  private var tail: String { String(lines[row].dropFirst(column)) }

  /// Takes an editing key; false if it is none.
  mutating func press(_ key: Key) -> Bool {
    switch key {
    case .character(let character): insert(String(character))
    case .paste(let text): insert(text)
    case .newline: insert("\n")
    case .backspace: deleteBackward()
    case .delete: deleteForward()
    case .control("u"): deleteToStart()
    case .left: moveLeft()
    case .right: moveRight()
    case .up, .control("p"): move(toRow: row - 1)
    case .down, .control("n"): move(toRow: row + 1)
    case .pageUp: move(toRow: row - 10)
    case .pageDown: move(toRow: row + 10)
    case .home: column = 0
    case .end: column = lines[row].count
    case .alt, .control, .enter, .escape, .tab, .backTab, .insert, .function: return false
    }
    return true
  }

  /// Puts text at the cursor; line feeds begin new lines.
  mutating func insert(_ text: String) {
    var parts = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      .map(String.init)
    let (before, after) = (head, tail)
    parts[0] = before + parts[0]
    let last = parts.count - 1
    column = parts[last].count
    parts[last] += after
    lines.replaceSubrange(row...row, with: parts)
    row += last
  }

  private mutating func deleteBackward() {
    guard column > 0 else { return joinWithPrevious() }
    let rest = tail
    column -= 1
    lines[row] = head + rest
  }

  private mutating func deleteForward() {
    guard column < lines[row].count else {
      guard row + 1 < lines.count else { return }
      lines[row] += lines.remove(at: row + 1)
      return
    }
    lines[row] = head + tail.dropFirst()
  }

  private mutating func deleteToStart() {
    lines[row] = tail
    column = 0
  }

  private mutating func joinWithPrevious() {
    guard row > 0 else { return }
    let line = lines.remove(at: row)
    row -= 1
    column = lines[row].count
    lines[row] += line
  }

  private mutating func moveLeft() {
    if column > 0 {
      column -= 1
    } else if row > 0 {
      move(toRow: row - 1)
      column = lines[row].count
    }
  }

  private mutating func moveRight() {
    if column < lines[row].count {
      column += 1
    } else if row + 1 < lines.count {
      move(toRow: row + 1)
      column = 0
    }
  }

  private mutating func move(toRow target: Int) {
    row = max(0, min(target, lines.count - 1))
    column = min(column, lines[row].count)
  }
}
