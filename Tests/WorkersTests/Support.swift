// SPDX-License-Identifier: Apache-2.0
//
// What the tests of this target wait with: gates and recorders on monitors, each wait with a
// deadline far beyond what any machine needs.

import Glibc
import Testing

@testable import Workers

let deadline = Duration.seconds(30)

struct Fault: Error, Equatable {
  let number: Int
  init(_ number: Int = 0) { self.number = number }
}

/// Opens once; whoever waits goes on.
final class Gate: Sendable {
  private let isOpen = Monitor(false)

  func open() { isOpen.withLock { $0 = true } }

  @discardableResult
  func wait() -> Bool { isOpen.wait(for: deadline) { $0 ? true : nil } ?? false }
}

/// What happened, in order.
final class Recorder<Entry: Sendable>: Sendable {
  private let entries = Monitor<[Entry]>([])

  func record(_ entry: Entry) { entries.withLock { $0.append(entry) } }

  var all: [Entry] { entries.withLock { $0 } }

  @discardableResult
  func wait(count: Int) -> Bool {
    entries.wait(for: deadline) { $0.count >= count ? true : nil } ?? false
  }
}

/// Asks again and again, letting others run, until something holds.
func eventually(_ condition: () -> Bool) -> Bool {
  let end = ContinuousClock.now + deadline
  while ContinuousClock.now < end {
    if condition() { return true }
    sched_yield()
  }
  return false
}

/// An operation that says when it runs and stays until its gate is opened.
struct Held {
  let operation: BlockingOperation
  let started = Gate()
  let gate = Gate()

  init(_ name: String = "held", result: OperationResult = .succeeded) {
    let (started, gate) = (started, gate)
    operation = BlockingOperation(name: name) { _ in
      started.open()
      gate.wait()
      return result
    }
  }
}

func succeeding(
  _ name: String = "succeeding",
  _ body: @escaping @Sendable () -> Void = {}
)
  -> BlockingOperation
{
  BlockingOperation(name: name) { _ in
    body()
    return .succeeded
  }
}

func failing(_ number: Int = 0) -> BlockingOperation {
  BlockingOperation(name: "failing") { _ in .failed(Fault(number)) }
}

extension OperationState {
  var text: String {
    switch self {
    case .ready: "ready"
    case .executing: "executing"
    case .finished: "finished"
    case .failed(let error): "failed \(number(of: error))"
    case .cancelled(let reason): "cancelled \(reason.text)"
    }
  }
}

extension CancelReason {
  var text: String {
    switch self {
    case .requested: "requested"
    case .queueShutDown: "queueShutDown"
    case .givenUp: "givenUp"
    case .dependencyFailed(_, let name, let error): "by failed \(name) \(number(of: error))"
    case .dependencyCancelled(_, let name): "by cancelled \(name)"
    }
  }
}

extension OperationResult {
  var text: String {
    switch self {
    case .succeeded: "succeeded"
    case .failed(let error): "failed \(number(of: error))"
    case .cancelled: "cancelled"
    }
  }
}

func number(of error: any Error) -> String {
  (error as? Fault).map { "\($0.number)" } ?? "\(error)"
}

/// A queue that is shut down when the test leaves.
func withQueue<R>(limit: Int, _ body: (BlockingOperationQueue) throws -> R) rethrows -> R {
  let queue = BlockingOperationQueue(name: "test", limit: limit)
  defer { queue.shutdown() }
  return try body(queue)
}
