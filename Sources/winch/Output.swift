// SPDX-License-Identifier: Apache-2.0
//
// Output: whole lines to a standard descriptor.
//
// Threads  any; a line is one `write(2)` as long as the descriptor takes it.
// Never    is used while curses owns the terminal.

import Glibc

/// A standard descriptor to write text to.
struct Output: Sendable {
  /// Standard output.
  static let standard = Output(descriptor: STDOUT_FILENO)
  /// Standard error.
  static let error = Output(descriptor: STDERR_FILENO)

  let descriptor: Int32

  /// Whether a person looks at it on a terminal that can move its cursor.
  var isTerminal: Bool {
    let type = getenv("TERM").map { String(cString: $0) } ?? ""
    return isatty(descriptor) == 1 && !type.isEmpty && type != "dumb"
  }

  /// The columns of its terminal; 80 when it has none.
  var columns: Int {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes a line.
  func line(_ line: String) {
    text(line + "\n")
  }

  /// Writes text; gives up when the other end is gone.
  func text(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 { rest = rest.dropFirst(count) } else if errno != EINTR { return }
    }
  }
}
