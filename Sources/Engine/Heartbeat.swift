// SPDX-License-Identifier: Apache-2.0
//
// Heartbeat: a thread that calls back four times a second while there is something to watch.
//
// Owns     its thread, joined by `stop`.
// Threads  `wake` and `stop` from any; the beat runs on the heartbeat's own.
// Never    wakes up when nothing runs.

import Synchronization
import Workers

/// A clock beat.
final class Heartbeat: Sendable {
  private enum State {
    case resting, beating, stopped
  }

  private static let interval = Duration.milliseconds(250)
  private let state = Monitor(State.resting)
  private let thread = Mutex<WorkerThread?>(nil)

  /// Starts the thread.
  ///
  /// - Parameter beat: Does the work; returns whether there is still something to watch.
  /// - Throws: `ThreadError` when the system refuses.
  func start(_ beat: @escaping @Sendable () -> Bool) throws(ThreadError) {
    let worker = try WorkerThread.start(name: "heartbeat") { [state] in
      while Self.waitForBeat(state) {
        if beat() { state.withLock { if $0 == .resting { $0 = .beating } } }
      }
    }
    thread.withLock { $0 = worker }
  }

  /// Says that there is something to watch.
  func wake() {
    state.withLock { if $0 == .resting { $0 = .beating } }
  }

  /// Ends and joins the thread.
  func stop() {
    state.withLock { $0 = .stopped }
    let worker = thread.withLock { held -> WorkerThread? in
      defer { held = nil }
      return held
    }
    worker?.join()
  }

  private static func waitForBeat(_ state: Monitor<State>) -> Bool {
    let isOn = state.wait { state -> Bool? in
      switch state {
      case .resting: nil
      case .beating: true
      case .stopped: false
      }
    }
    guard isOn, state.wait(for: interval, until: { $0 == .stopped ? () : nil }) == nil
    else { return false }
    // It rests before it looks, so that whoever wakes it meanwhile is not forgotten.
    return state.withLock { state in
      if state == .beating { state = .resting }
      return state != .stopped
    }
  }
}
