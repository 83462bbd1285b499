// SPDX-License-Identifier: Apache-2.0
//
// What `firstToSucceed` and `firstToFail` share: run all, wait for one that decides, cancel the
// rest. Owns the board on which attempts write how they ended; the first entry of an attempt
// stands, and nothing is written once the race is decided.

/// How a race ended, before it is told which kind it was.
enum RaceEnd<R: Sendable>: Sendable {
  case decided(position: Int, Attempt<R>)
  case all([Attempt<R>])
  case cancelled
}

/// Runs all attempts until one decides, all have ended, or the caller calls it off.
func race<R: Sendable>(
  _ attempts: [Attempt<R>.Body],
  cancelledBy flag: CancellationFlag?,
  on queue: BlockingOperationQueue?,
  isDecisive: @escaping @Sendable (Attempt<R>) -> Bool
) -> RaceEnd<R> {
  if flag?.isCancelled == true { return .cancelled }
  let board = RaceBoard(count: attempts.count, isDecisive: isDecisive)
  let operations = attempts.enumerated().map { board.operation($0, $1) }
  let track = queue ?? BlockingOperationQueue(name: "race", limit: attempts.count)
  for (position, operation) in operations.enumerated() {
    do {
      try track.add(operation)
    } catch {
      board.write(.failed(error), at: position)
    }
  }
  let hook = flag?.onCancel { board.callOff() }
  let end = board.waitForEnd()
  hook?.remove()
  for operation in operations { operation.cancel() }
  if queue == nil { track.shutdown() }
  return end
}

/// Where attempts write how they ended.
private final class RaceBoard<R: Sendable>: Sendable {
  private struct Entries {
    var attempts: [Attempt<R>?]
    var end: RaceEnd<R>?
  }

  private let entries: Monitor<Entries>
  private let isDecisive: @Sendable (Attempt<R>) -> Bool

  init(count: Int, isDecisive: @escaping @Sendable (Attempt<R>) -> Bool) {
    let end: RaceEnd<R>? = count == 0 ? .all([]) : nil
    entries = Monitor(Entries(attempts: Array(repeating: nil, count: count), end: end))
    self.isDecisive = isDecisive
  }

  /// An operation that writes down how its attempt ended, also when it never ran.
  func operation(
    _ position: Int,
    _ attempt: @escaping Attempt<R>.Body
  ) -> BlockingOperation {
    let operation = BlockingOperation(name: "attempt \(position + 1)") { flag in
      let end = attempt(flag)
      self.write(end, at: position)
      switch end {
      case .succeeded: return .succeeded
      case .failed(let error): return .failed(error)
      case .cancelled: return .cancelled
      }
    }
    operation.observe { state in
      switch state {
      case .ready, .executing, .finished: break
      case .failed(let error): self.write(.failed(error), at: position)
      case .cancelled: self.write(.cancelled, at: position)
      }
    }
    return operation
  }

  func write(_ attempt: Attempt<R>, at position: Int) {
    let decides = isDecisive(attempt)
    entries.withLock { entries in
      guard entries.end == nil, entries.attempts[position] == nil else { return }
      entries.attempts[position] = attempt
      if decides {
        entries.end = .decided(position: position, attempt)
      } else if entries.attempts.allSatisfy({ $0 != nil }) {
        entries.end = .all(entries.attempts.compactMap(\.self))
      }
    }
  }

  func callOff() {
    entries.withLock { entries in
      if entries.end == nil { entries.end = .cancelled }
    }
  }

  func waitForEnd() -> RaceEnd<R> {
    entries.wait { $0.end }
  }
}
