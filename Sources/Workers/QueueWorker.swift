// SPDX-License-Identifier: Apache-2.0
//
// One thread of an operation queue, kept between operations.
// Owns its thread and a box for its next order, so that handing it work wakes this thread alone.
// It lives from its first operation to `shutdown` of its queue, which joins it.

/// A thread that runs operations for a queue.
final class QueueWorker: Sendable {
  private enum Thread {
    case starting, refused
    case running(WorkerThread)
  }

  private let order = Monitor<QueueRoster.Order?>(nil)
  private let thread = Monitor(Thread.starting)

  /// Starts the thread; it then waits for `give`.
  func start(name: String, for queue: BlockingOperationQueue) throws(ThreadError) {
    do {
      let started = try WorkerThread.start(name: name) { self.serve(queue) }
      thread.withLock { $0 = .running(started) }
    } catch {
      thread.withLock { $0 = .refused }
      throw error
    }
  }

  func give(_ next: QueueRoster.Order) {
    order.withLock { $0 = next }
  }

  /// Waits for the thread to be gone, and before that for whoever is starting it.
  func join() {
    let started = thread.wait { thread -> WorkerThread?? in
      switch thread {
      case .starting: nil
      case .refused: .some(nil)
      case .running(let started): started
      }
    }
    started?.join()
  }

  var isCurrent: Bool {
    thread.withLock { thread in
      switch thread {
      case .starting, .refused: false
      case .running(let started): started.isCurrent
      }
    }
  }

  private func serve(_ queue: BlockingOperationQueue) {
    while true {
      switch order.wait(until: { $0.take() }) {
      case .run(let operation):
        guard runAll(from: operation, of: queue) else { return }
      case .rest: break
      case .leave: return
      }
    }
  }

  /// Runs operations as long as the queue has some; false when the thread is to leave.
  private func runAll(from first: BlockingOperation, of queue: BlockingOperationQueue) -> Bool {
    var operation = first
    while true {
      operation.run()
      switch queue.nextOrder(for: self) {
      case .run(let next): operation = next
      case .rest: return true
      case .leave: return false
      }
    }
  }
}
