// SPDX-License-Identifier: Apache-2.0
//
// Heartbeat: a thread that calls back four times a second while there is something to watch, and
// seldom when there is only something to wait for.
//
// Owns     its thread, joined by `stop`.
// Threads  `wake` and `stop` from any; the beat runs on the heartbeat's own.
// Never    wakes up when nothing runs.

import Workers

/// A clock beat.
final class Heartbeat: Sendable {
  private enum State: Equatable {
    case resting
    /// The next beat comes after this time.
    case waiting(Duration)
    case stopped
  }

  /// The time between two beats while something runs.
  static let interval = Duration.milliseconds(250)
  private let state = Monitor(State.resting)
  private let thread = Monitor<WorkerThread?>(nil)

  /// Starts the thread.
  ///
  /// - Parameter beat: Does the work; returns when to come again, nil when there is nothing to watch.
  /// - Throws: `ThreadError` when the system refuses.
  func start(_ beat: @escaping @Sendable () -> Duration?) throws(ThreadError) {
    let worker = try WorkerThread.start(name: "heartbeat") { [state] in
      while Self.waitForBeat(state) {
        if let rest = beat() { state.withLock { if $0 == .resting { $0 = .waiting(rest) } } }
      }
    }
    thread.withLock { $0 = worker }
  }

  /// Says that there is something to watch.
  func wake() {
    // Whoever waits no longer than that is left asleep: this is called for every transfer.
    if state.read({ $0 == .waiting(Self.interval) }) { return }
    state.withLock { if $0 != .stopped { $0 = .waiting(Self.interval) } }
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
    var seen = state.wait { $0 == .resting ? nil : $0 }
    while case .waiting(let rest) = seen {
      guard let other = state.wait(for: rest, until: { [seen] in $0 == seen ? nil : $0 }) else {
        break
      }
      seen = other
    }
    // It rests before it looks, so that whoever wakes it meanwhile is not forgotten.
    return state.withLock { state in
      if state != .stopped { state = .resting }
      return state != .stopped
    }
  }
}
