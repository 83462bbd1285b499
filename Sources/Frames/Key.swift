// SPDX-License-Identifier: Apache-2.0
//
// What came from the keyboard, as values.
// `Terminal` makes keys out of bytes; what a key does is decided where actions are kept.
// Plain values, any thread.

/// A key that was pressed, or a paste.
public enum Key: Hashable, Sendable {
  /// A printable character, blank included.
  case character(Character)
  /// Alt (or Esc at once before) with a printable character.
  case alt(Character)
  /// Control with a letter in lower case, or with one of `@ \ ] ^ _`.
  case control(Character)
  /// Return: a carriage return from the terminal.
  case enter
  /// A line feed from the terminal, which is Ctrl-J: a new line, where Return confirms.
  case newline
  /// Esc alone.
  case escape
  /// Tab.
  case tab
  /// Shift-Tab.
  case backTab
  /// Backspace, sent as DEL or BS.
  case backspace
  /// Delete forward.
  case delete
  /// Insert.
  case insert
  /// Cursor up.
  case up
  /// Cursor down.
  case down
  /// Cursor left.
  case left
  /// Cursor right.
  case right
  /// Home.
  case home
  /// End.
  case end
  /// A page up.
  case pageUp
  /// A page down.
  case pageDown
  /// A function key, from 1.
  case function(Int)
  /// Pasted text: lines end in LF, no control bytes but those and tabs.
  case paste(String)
}
