// SPDX-License-Identifier: Apache-2.0
//
// How operations wait for each other, across queues too: each knows who waits for it.
// A queue adds an operation by claiming it, entering it with those it waits for, looking for a
// cycle, and only then releasing it. Only one operation's lock is held at a time. Two adds that
// close a cycle at the same moment both enter before either looks, so one of them sees it.

extension BlockingOperation {
  typealias Need = OperationRecord.Need

  /// Enters this operation with all it waits for, or leaves everything as it was.
  ///
  /// - Returns: Dependencies that have ended already, with their states.
  func enter(
    with dependencies: [BlockingOperation],
    _ need: Need
  ) throws(QueueError) -> [(BlockingOperation, OperationState)] {
    let ended = dependencies.compactMap { dependency in
      dependency.record.withLock { $0.addDependent(self, need) }.map { (dependency, $0) }
    }
    guard isAwaited(byAnyOf: dependencies) else { return ended }
    for dependency in dependencies { dependency.record.withLock { $0.removeDependent(id) } }
    throw .cycle
  }

  /// Whether one of the operations waits for this one, directly or through others.
  private func isAwaited(byAnyOf operations: [BlockingOperation]) -> Bool {
    let wanted = Set(operations.map(\.id))
    var seen: Set<OperationID> = []
    var toVisit = [self]
    while let operation = toVisit.popLast() {
      guard seen.insert(operation.id).inserted else { continue }
      if wanted.contains(operation.id) { return true }
      toVisit += operation.record.withLock { $0.dependentOperations }
    }
    return false
  }

  /// Crosses off a dependency that has ended, then runs or cancels if that decides it.
  ///
  /// - Returns: Whom to tell if this operation was cancelled by it.
  func dependencyEnded(
    _ dependency: BlockingOperation,
    _ end: OperationState
  ) -> OperationRecord.Farewell? {
    let reason = dependency.reasonForDependents(end)
    let (queue, farewell) = record.withLock {
      record -> (BlockingOperationQueue?, OperationRecord.Farewell?) in
      guard let need = record.crossOff(dependency.id) else { return (nil, nil) }
      if need == .success, let reason {
        guard case .ended(let farewell) = record.cancel(because: reason) else { return (nil, nil) }
        return (nil, farewell)
      }
      return (record.isRunnable ? record.queue : nil, nil)
    }
    queue?.schedule(self)
    return farewell
  }

  private func reasonForDependents(_ end: OperationState) -> CancelReason? {
    switch end {
    case .ready, .executing, .finished: nil
    case .failed(let error): .dependencyFailed(id, name: name, error)
    case .cancelled(.dependencyFailed(let id, let name, let error)):
      .dependencyFailed(id, name: name, error)
    case .cancelled(.dependencyCancelled(let id, let name)): .dependencyCancelled(id, name: name)
    case .cancelled(.requested), .cancelled(.queueShutDown), .cancelled(.givenUp):
      .dependencyCancelled(id, name: name)
    }
  }
}
