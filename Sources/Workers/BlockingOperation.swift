// SPDX-License-Identifier: Apache-2.0
//
// One unit of blocking work: a body, a state that observers follow, and one end.
// Owns its state and the list of those who wait for it; belongs to at most one queue, which gives
// it a thread. Its body runs on a thread of that queue; observers run on whichever thread changed
// the state, one call at a time, in order, without any lock held.
// Ends exactly once: the body either runs and says how it ended, or is reported as cancelled.

/// A piece of work that blocks the thread it runs on.
public final class BlockingOperation: Sendable {
  /// Follows an operation's state.
  public typealias Observer = @Sendable (OperationState) -> Void

  /// Names this operation.
  public let id = OperationID.next()
  /// What the operation is called in reasons and in debuggers.
  public let name: String

  let record = Monitor(OperationRecord())
  private let body: @Sendable (CancellationFlag) -> OperationResult
  private let onCancel: @Sendable () -> Void
  private let flag = CancellationFlag()

  /// Makes an operation that waits to be added to a queue.
  ///
  /// - Parameters:
  ///   - name: What to call it.
  ///   - onCancel: Called once, from the thread that cancels, when cancel hits while the body
  ///     runs. The body may have returned meanwhile; a hook that must not outlive something of
  ///     the body's belongs on the body's flag (`CancellationFlag.withHook`).
  ///   - body: Runs at most once, on a thread of the queue. It should look at its flag, and end
  ///     with `.cancelled` if it stops for it. What it returns stands.
  public init(
    name: String,
    onCancel: @escaping @Sendable () -> Void = {},
    body: @escaping @Sendable (CancellationFlag) -> OperationResult
  ) {
    self.name = name
    self.onCancel = onCancel
    self.body = body
  }

  /// The state at this moment; another thread may change it right away.
  public var state: OperationState { record.withLock { $0.state } }

  /// Follows the state, beginning with the present one, which is told at once.
  ///
  /// Every state from then on is told once and in order; nothing is told after an end. The
  /// observer runs on the thread that changed the state, and must not block.
  ///
  /// - Parameter observer: Called without any lock held, never by two threads at a time.
  public func observe(_ observer: @escaping Observer) {
    record.withLock { $0.addObserver(observer) }
    tellObservers()
  }

  /// Cancels the operation.
  ///
  /// Before its body runs, it ends here and now, and what depends on it is cancelled in turn.
  /// While its body runs, the body's flag is set and its hooks are called; the body ends it.
  /// After its end nothing happens.
  public func cancel() {
    cancel(because: .requested)
  }

  /// Blocks until the operation has ended; its observers may not all have heard of it yet.
  ///
  /// - Returns: How it ended; `state` has the reason if it was cancelled.
  public func waitUntilEnded() -> OperationResult {
    record.wait { $0.state.result }
  }

  func cancel(because reason: CancelReason) {
    switch record.withLock({ $0.cancel(because: reason) }) {
    case .none: break
    case .interrupted:
      flag.cancel()
      onCancel()
    case .ended(let farewell):
      settle(farewell)
    }
  }

  /// Runs the body, unless the operation was cancelled before; called once, by a queue's thread.
  func run() {
    guard record.withLock({ $0.begin() }) else { return }
    tellObservers()
    end(body(flag))
  }

  /// Ends the operation in place of its body, or with what its body said.
  func end(_ result: OperationResult) {
    if let farewell = record.withLock({ $0.end(result) }) { settle(farewell) }
  }

  /// Passes on what happened, until nobody has anything left to pass on.
  ///
  /// A loop rather than a recursion: a chain of dependents may be longer than a stack is deep.
  func settle(_ farewell: OperationRecord.Farewell) {
    var ended = [(operation: self, farewell: farewell)]
    var position = 0
    while position < ended.count {
      let (operation, farewell) = ended[position]
      operation.tellObservers()
      for dependent in farewell.dependents {
        if let next = dependent.operation.dependencyEnded(operation, farewell.state) {
          ended.append((dependent.operation, next))
        }
      }
      farewell.queue?.forget(operation.id)
      position += 1
    }
  }

  /// Calls observers with what they have not heard, unless another thread is doing so already.
  private func tellObservers() {
    guard record.withLock({ $0.startTelling() }) else { return }
    while let (observer, state) = record.withLock({ $0.nextToTell() }) { observer(state) }
  }
}
