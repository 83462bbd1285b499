// SPDX-License-Identifier: Apache-2.0
//
// What an operation knows about itself, as a value: state, waiting, observers.
// Every change of state happens here. A value without a lock; the operation keeps it behind its
// monitor, asks it what to do, and does that outside the lock.

/// The part of an operation that changes.
struct OperationRecord {
  /// What a dependent wants of the operation it waits for.
  enum Need { case success, end }

  /// Someone who waits for this operation.
  struct Dependent {
    let operation: BlockingOperation
    let need: Need
  }

  /// Whom to tell that the operation has ended.
  struct Farewell {
    let state: OperationState
    let dependents: [Dependent]
    let queue: BlockingOperationQueue?
  }

  /// What cancelling came to.
  enum Cancellation {
    case none, interrupted
    case ended(Farewell)
  }

  private(set) var state = OperationState.ready
  private var cancelReason: CancelReason?

  private(set) var queue: BlockingOperationQueue?
  private var needs: [OperationID: Need] = [:]
  private var dependents: [Dependent] = []
  /// True until the queue has put down everything the operation waits for.
  private var isHeld = true

  private var observers: [BlockingOperation.Observer] = []
  private var untold = Fifo<(BlockingOperation.Observer, OperationState)>()
  private var isTelling = false
}

// MARK: - State

extension OperationRecord {
  /// From ready to executing; false when it was cancelled before.
  mutating func begin() -> Bool {
    guard case .ready = state else { return false }
    change(to: .executing)
    return true
  }

  /// To an end; nil when it had one.
  mutating func end(_ result: OperationResult) -> Farewell? {
    guard !state.hasEnded else { return nil }
    switch result {
    case .succeeded: change(to: .finished)
    case .failed(let error): change(to: .failed(error))
    case .cancelled: change(to: .cancelled(cancelReason ?? .givenUp))
    }
    defer { (queue, dependents, observers) = (nil, [], []) }
    return Farewell(state: state, dependents: dependents, queue: queue)
  }

  mutating func cancel(because reason: CancelReason) -> Cancellation {
    guard cancelReason == nil, !state.hasEnded else { return .none }
    cancelReason = reason
    if case .executing = state { return .interrupted }
    return end(.cancelled).map(Cancellation.ended) ?? .none
  }

  private mutating func change(to next: OperationState) {
    state = next
    for observer in observers { untold.append((observer, next)) }
  }
}

// MARK: - Observers

extension OperationRecord {
  mutating func addObserver(_ observer: @escaping BlockingOperation.Observer) {
    if !state.hasEnded { observers.append(observer) }
    untold.append((observer, state))
  }

  /// Whether the caller is to tell observers: there is something to tell, and nobody does it.
  mutating func startTelling() -> Bool {
    guard !isTelling, !untold.isEmpty else { return false }
    isTelling = true
    return true
  }

  mutating func nextToTell() -> (BlockingOperation.Observer, OperationState)? {
    let next = untold.popFirst()
    if next == nil { isTelling = false }
    return next
  }
}

// MARK: - Dependencies

extension OperationRecord {
  /// What came of claiming an operation for a queue.
  enum Claim { case claimed, hasEnded, taken }

  mutating func claim(
    for claimant: BlockingOperationQueue,
    waitingFor: [OperationID: Need]
  ) -> Claim {
    guard queue == nil, isHeld else { return .taken }
    guard !state.hasEnded else {
      isHeld = false
      return .hasEnded
    }
    (queue, needs) = (claimant, waitingFor)
    return .claimed
  }

  mutating func giveBack() {
    (queue, needs) = (nil, [:])
  }

  /// Puts a dependent down; returns the state instead when there is nothing to wait for.
  mutating func addDependent(_ operation: BlockingOperation, _ need: Need) -> OperationState? {
    guard !state.hasEnded else { return state }
    dependents.append(Dependent(operation: operation, need: need))
    return nil
  }

  mutating func removeDependent(_ id: OperationID) {
    dependents.removeAll { $0.operation.id == id }
  }

  var dependentOperations: [BlockingOperation] { dependents.map(\.operation) }

  /// Crosses off a dependency; the need it met, or nil when nothing waited for it.
  mutating func crossOff(_ dependency: OperationID) -> Need? {
    needs.removeValue(forKey: dependency)
  }

  mutating func release() {
    isHeld = false
  }

  /// Whether a thread may take it: fully added, and waiting for nothing.
  var isRunnable: Bool {
    guard case .ready = state else { return false }
    return needs.isEmpty && !isHeld
  }
}
