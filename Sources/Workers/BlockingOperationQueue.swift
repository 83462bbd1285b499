// SPDX-License-Identifier: Apache-2.0
//
// Runs blocking operations on threads of its own, so many at a time, in order.
// Owns its threads: started when an operation is ready and none rests, kept for the next one,
// joined by `shutdown`, which every owner must call. An operation takes its turn by its place in
// the queue as soon as what it waits for has ended. Any thread may call; nothing is called under
// a lock.

/// A queue of blocking operations with a settable limit on how many run at once.
public final class BlockingOperationQueue: Sendable {
  /// Where to put an operation among those that have not begun.
  public enum Position: Sendable {
    /// Before all others.
    case first
    /// After all others.
    case last
  }

  /// What the queue's threads are called.
  public let name: String

  private let roster: Monitor<QueueRoster>
  private let joined = Monitor(false)

  /// Makes an empty queue; threads come with the operations.
  ///
  /// - Parameters:
  ///   - name: What to call the threads; the first 15 bytes show.
  ///   - limit: How many operations run at once at most; none start while it is 0.
  public init(name: String, limit: Int) {
    precondition(limit >= 0, "a limit counts operations")
    self.name = name
    roster = Monitor(QueueRoster(limit: limit))
  }

  /// How many operations run at once at most, 0 or more.
  ///
  /// Raised, it starts more at once. Lowered, it stops none that runs; fewer start afterwards.
  public var limit: Int {
    get { roster.withLock { $0.limit } }
    set {
      precondition(newValue >= 0, "a limit counts operations")
      roster.withLock { $0.limit = newValue }
      assign()
    }
  }

  /// How many operations were added and have not ended.
  public var count: Int { roster.withLock { $0.count } }

  /// How many threads wait for an operation.
  var restingCount: Int { roster.withLock { $0.restingCount } }

  /// Adds an operation that runs once all of its dependencies have succeeded.
  ///
  /// A dependency that fails or is cancelled cancels it, with that as the reason. Dependencies may
  /// be in other queues, be added later, or have ended. An operation cancelled before it is added
  /// is taken, and stays cancelled.
  ///
  /// - Parameters:
  ///   - operation: What to run; it belongs to this queue from now on.
  ///   - dependencies: What must succeed first.
  ///   - position: Where it takes its turn among those that have not begun.
  /// - Throws: `QueueError`; the operation can then still be added elsewhere, unless it was before.
  public func add(
    _ operation: BlockingOperation,
    after dependencies: [BlockingOperation] = [],
    position: Position = .last
  ) throws(QueueError) {
    try insert(operation, after: dependencies, .success, position)
  }

  /// Adds an operation that runs once others have ended, however they ended.
  ///
  /// `cancelAll` leaves it to run; `cancel` and `shutdown` cancel it.
  ///
  /// - Parameters:
  ///   - operation: What to run; it belongs to this queue from now on.
  ///   - dependencies: What must end first, in this queue or others.
  /// - Throws: `QueueError`; the operation can then still be added elsewhere, unless it was before.
  public func addCompletion(
    _ operation: BlockingOperation,
    whenAllEnded dependencies: [BlockingOperation]
  ) throws(QueueError) {
    try insert(operation, after: dependencies, .end, .last)
  }

  /// Cancels one operation, as `BlockingOperation.cancel` does.
  ///
  /// - Parameter operation: One of this queue's.
  public func cancel(_ operation: BlockingOperation) {
    operation.cancel()
  }

  /// Cancels every operation in the queue but the completion operations, which get to run.
  public func cancelAll() {
    let operations = roster.withLock { $0.cancellable(withCompletions: false) }
    for operation in operations { operation.cancel() }
  }

  /// Blocks until no operation is left.
  ///
  /// Never call it from an operation of this queue. With a limit of 0, or with a dependency that is
  /// never added, it waits until someone changes that.
  public func drain() {
    // A monitor of its own: waiting on the roster would wake this thread at each operation's step.
    let isEmpty = Monitor(false)
    guard roster.withLock({ $0.addDrainer(isEmpty) }) else { return }
    isEmpty.wait { $0 ? () : nil }
  }

  /// Takes no more operations, cancels all there are, and joins every thread.
  ///
  /// Blocks until running bodies have returned. Further calls wait for the first. Never call it
  /// from an operation or an observer that runs on a thread of this queue.
  public func shutdown() {
    let workers = roster.withLock { $0.workers }
    precondition(!workers.contains(where: \.isCurrent), "a queue's thread cannot join itself")
    guard roster.withLock({ $0.close() }) else { return joined.wait { $0 ? () : nil } }
    for operation in roster.withLock({ $0.cancellable(withCompletions: true) }) {
      operation.cancel(because: .queueShutDown)
    }
    drain()
    for worker in roster.withLock({ $0.takeResting() }) { worker.give(.leave) }
    for worker in roster.withLock({ $0.workers }) { worker.join() }
    joined.withLock { $0 = true }
  }
}

// MARK: - Between the queue, its operations and its workers

extension BlockingOperationQueue {
  private func insert(
    _ operation: BlockingOperation,
    after dependencies: [BlockingOperation],
    _ need: OperationRecord.Need,
    _ position: Position
  ) throws(QueueError) {
    let isCompletion = need == .end
    if let refusal = roster.withLock({ $0.admit(operation, position, isCompletion: isCompletion) })
    {
      throw refusal
    }
    let needs = Dictionary(dependencies.map { ($0.id, need) }) { first, _ in first }
    switch operation.record.withLock({ $0.claim(for: self, waitingFor: needs) }) {
    case .claimed: break
    case .hasEnded: return forget(operation.id)
    case .taken:
      forget(operation.id)
      throw .alreadyAdded
    }
    try release(operation, after: dependencies, need)
  }

  private func release(
    _ operation: BlockingOperation,
    after dependencies: [BlockingOperation],
    _ need: OperationRecord.Need
  ) throws(QueueError) {
    do {
      for (dependency, state) in try operation.enter(with: dependencies, need) {
        if let farewell = operation.dependencyEnded(dependency, state) {
          operation.settle(farewell)
        }
      }
    } catch {
      operation.record.withLock { $0.giveBack() }
      forget(operation.id)
      throw error
    }
    let isRunnable = operation.record.withLock { record in
      record.release()
      return record.isRunnable
    }
    if isRunnable { schedule(operation) }
  }

  /// Lines up an operation that waits for nothing any more.
  func schedule(_ operation: BlockingOperation) {
    roster.withLock { $0.schedule(operation) }
    assign()
  }

  /// Lets go of an operation that has ended.
  func forget(_ id: OperationID) {
    for drainer in roster.withLock({ $0.forget(id) }) { drainer.withLock { $0 = true } }
  }

  func nextOrder(for worker: QueueWorker) -> QueueRoster.Order {
    roster.withLock { $0.nextOrder(for: worker) }
  }

  /// Gives ready operations to workers as long as the limit has room.
  private func assign() {
    while let next = roster.withLock({ $0.nextAssignment(newWorker: QueueWorker.init) }) {
      if next.isNew {
        do {
          try next.worker.start(name: name, for: self)
        } catch {
          roster.withLock { $0.removeUnstarted(next.worker) }
          next.operation.end(.failed(error))
          continue
        }
      }
      next.worker.give(.run(next.operation))
    }
  }
}
