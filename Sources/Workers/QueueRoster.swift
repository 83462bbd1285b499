// SPDX-License-Identifier: Apache-2.0
//
// What an operation queue knows: the operations in it, its workers, its limit. A value without a
// lock; the queue keeps it behind its monitor, asks it who is to do what, and does that outside.

/// The part of an operation queue that changes.
struct QueueRoster {
  /// What a worker is to do when it has done one operation.
  enum Order {
    case run(BlockingOperation)
    case rest, leave
  }

  private struct Member {
    let operation: BlockingOperation
    let place: Int
    let isCompletion: Bool
  }

  var limit: Int
  private(set) var isClosed = false
  private var members: [OperationID: Member] = [:]
  private var ready = ReadyHeap()
  private var firstPlace = 0
  private var lastPlace = 0

  private(set) var workers: [QueueWorker] = []
  private var resting: [QueueWorker] = []
  private var busy = 0

  /// Those who wait for the queue to be empty.
  private var drainers: [Monitor<Bool>] = []

  init(limit: Int) {
    self.limit = limit
  }

  var count: Int { members.count }
  var restingCount: Int { resting.count }
}

// MARK: - Operations

extension QueueRoster {
  mutating func admit(
    _ operation: BlockingOperation,
    _ position: BlockingOperationQueue.Position,
    isCompletion: Bool
  ) -> QueueError? {
    if isClosed { return .closed }
    if members[operation.id] != nil { return .alreadyAdded }
    members[operation.id] = Member(
      operation: operation,
      place: place(at: position),
      isCompletion: isCompletion
    )
    return nil
  }

  /// Lets go of an operation; returns those who waited for the queue to be empty if it now is.
  mutating func forget(_ id: OperationID) -> [Monitor<Bool>] {
    members[id] = nil
    guard members.isEmpty else { return [] }
    defer { drainers = [] }
    return drainers
  }

  /// Puts down someone to tell when the queue is empty; false when it is so already.
  mutating func addDrainer(_ drainer: Monitor<Bool>) -> Bool {
    guard !members.isEmpty else { return false }
    drainers.append(drainer)
    return true
  }

  mutating func schedule(_ operation: BlockingOperation) {
    guard let member = members[operation.id] else { return }
    ready.insert(ReadyHeap.Entry(place: member.place, operation: operation))
  }

  mutating func close() -> Bool {
    defer { isClosed = true }
    return !isClosed
  }

  /// What `cancelAll` or `shutdown` cancels: the last first, so that none of them starts.
  func cancellable(withCompletions: Bool) -> [BlockingOperation] {
    members.values.filter { withCompletions || !$0.isCompletion }
      .sorted { $0.place > $1.place }
      .map(\.operation)
  }

  private mutating func place(at position: BlockingOperationQueue.Position) -> Int {
    switch position {
    case .first:
      firstPlace -= 1
      return firstPlace
    case .last:
      lastPlace += 1
      return lastPlace
    }
  }

  /// The first ready operation that has not ended while it stood here.
  private mutating func nextReady() -> BlockingOperation? {
    while let operation = ready.popFirst() {
      if members[operation.id] != nil { return operation }
    }
    return nil
  }
}

// MARK: - Workers

extension QueueRoster {
  /// An operation and the worker to give it to, resting or new; nil when there is none or no room.
  mutating func nextAssignment(
    newWorker: () -> QueueWorker
  ) -> (operation: BlockingOperation, worker: QueueWorker, isNew: Bool)? {
    guard busy < limit, let operation = nextReady() else { return nil }
    busy += 1
    if let worker = resting.popLast() { return (operation, worker, false) }
    let worker = newWorker()
    workers.append(worker)
    return (operation, worker, true)
  }

  mutating func nextOrder(for worker: QueueWorker) -> Order {
    if busy <= limit, let operation = nextReady() { return .run(operation) }
    busy -= 1
    if isClosed { return .leave }
    resting.append(worker)
    return .rest
  }

  mutating func removeUnstarted(_ worker: QueueWorker) {
    busy -= 1
    workers.removeAll { $0 === worker }
  }

  mutating func takeResting() -> [QueueWorker] {
    defer { resting = [] }
    return resting
  }
}
