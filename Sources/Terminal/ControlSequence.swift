// SPDX-License-Identifier: Apache-2.0
//
// The few sequences that ncurses does not send for us, and those that undo what it sent.
// Bytes, any thread; terminals that do not know them ignore them.

/// Sequences that ncurses does not send for us (xterm's ctlseqs).
enum ControlSequence {
  /// Bracketed paste on: pastes arrive between `ESC [ 200 ~` and `ESC [ 201 ~`.
  static let pasteOn = Array("\u{1B}[?2004h".utf8)
  /// Bracketed paste off.
  static let pasteOff = Array("\u{1B}[?2004l".utf8)
  /// Device status report, answered with `ESC [ 0 n`.
  static let statusRequest = Array("\u{1B}[5n".utf8)

  /// A block in the second row and a question where the cursor is after it, answered with
  /// `ESC [ 2 ; column R`; then cursor and blank are put back (DECSC, CPR, EL, DECRC).
  static let widthProbe = Array("\u{1B}7\u{1B}[2;1H█\u{1B}[6n\u{1B}[2;1H\u{1B}[K\u{1B}8".utf8)

  /// What leaves the full screen of the current terminfo entry.
  ///
  /// - Parameter pasteMode: Whether bracketed paste was switched on.
  /// - Returns: Bytes that can be written at any moment, from a signal handler as well.
  @MainActor
  static func restore(pasteMode: Bool) -> [UInt8] {
    let paste = pasteMode ? pasteOff : []
    return ["sgr0", "op", "rmkx", "cnorm", "rmcup"].reduce(paste) {
      $0 + (TerminalDatabase.string($1) ?? [])
    }
  }
}
