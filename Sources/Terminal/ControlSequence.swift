// SPDX-License-Identifier: Apache-2.0
//
// The few sequences that ncurses does not send for us.
// Constant bytes, any thread; terminals that do not know them ignore them.

/// Sequences that ncurses does not send for us (xterm's ctlseqs).
enum ControlSequence {
  /// Bracketed paste on: pastes arrive between `ESC [ 200 ~` and `ESC [ 201 ~`.
  static let pasteOn = Array("\u{1B}[?2004h".utf8)
  /// Bracketed paste off.
  static let pasteOff = Array("\u{1B}[?2004l".utf8)
  /// Device status report, answered with `ESC [ 0 n`.
  static let statusRequest = Array("\u{1B}[5n".utf8)
}
