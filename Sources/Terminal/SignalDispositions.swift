// SPDX-License-Identifier: Apache-2.0
//
// Keeps the process's signal handlers as they are while ncurses starts.
// ncurses takes INT, TERM, TSTP and WINCH over where they have their default action, and would then
// leave the screen from inside a handler, on any thread. Here signals belong to the render queue.
// Main thread.

import Glibc

/// Signal handlers that others must not change.
enum SignalDispositions {
  private static let signals = [SIGINT, SIGTERM, SIGTSTP, SIGWINCH]

  /// Runs a body and puts the handlers back that were there before.
  static func kept<Value>(_ body: () -> Value) -> Value {
    let before = signals.map { number in
      var action = sigaction()
      sigaction(number, nil, &action)
      return action
    }
    defer {
      for (number, action) in zip(signals, before) {
        var action = action
        sigaction(number, &action, nil)
      }
    }
    return body()
  }
}
