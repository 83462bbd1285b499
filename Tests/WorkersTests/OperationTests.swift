// SPDX-License-Identifier: Apache-2.0
//
// One operation: its states, its observers, cancel before, during and after; and the flag.

import Testing

@testable import Workers

@Suite(.timeLimit(.minutes(2)))
struct OperationTests {
  @Test(arguments: [
    (OperationResult.succeeded, ["ready", "executing", "finished"], "succeeded"),
    (.failed(Fault(4)), ["ready", "executing", "failed 4"], "failed 4"),
    (.cancelled, ["ready", "executing", "cancelled givenUp"], "cancelled"),
  ])
  func observersSeeEachStateOnceAndInOrder(
    result: OperationResult,
    states: [String],
    end: String
  ) throws {
    try withQueue(limit: 1) { queue in
      let operation = BlockingOperation(name: "one") { _ in result }
      let seen = Recorder<String>()
      operation.observe { seen.record($0.text) }
      try queue.add(operation)
      #expect(operation.waitUntilEnded().text == end)
      queue.drain()
      #expect(seen.all == states)
      #expect(operation.state.text == states.last)
    }
  }

  @Test func aLateObserverIsToldThePresentState() throws {
    try withQueue(limit: 1) { queue in
      let held = Held()
      try queue.add(held.operation)
      held.started.wait()
      let (during, after) = (Recorder<String>(), Recorder<String>())
      held.operation.observe { during.record($0.text) }
      #expect(during.all == ["executing"])
      held.gate.open()
      queue.drain()
      held.operation.observe { after.record($0.text) }
      #expect(during.all == ["executing", "finished"])
      #expect(after.all == ["finished"])
    }
  }

  @Test func anObserverAddedAtAnyMomentSeesAnOrderedEndOfTheStates() throws {
    let all = ["ready", "executing", "finished"]
    try withQueue(limit: 2) { queue in
      for _ in 0..<200 {
        let operation = succeeding()
        let seen = Recorder<String>()
        try queue.add(operation)
        operation.observe { seen.record($0.text) }
        #expect(eventually { seen.all.last == "finished" })
        #expect(seen.all == Array(all.suffix(seen.all.count)))
      }
    }
  }

  @Test func anObserverMayCallBack() throws {
    try withQueue(limit: 1) { queue in
      let ran = Gate()
      let operation = succeeding()
      operation.observe { [weak operation] state in
        operation?.observe { _ in }
        operation?.cancel()
        if case .cancelled = state { try? queue.add(succeeding { ran.open() }) }
      }
      try queue.add(operation)
      #expect(ran.wait())
    }
  }

  @Test func cancelBeforeItIsAddedMeansItNeverRuns() throws {
    try withQueue(limit: 1) { queue in
      let ran = Recorder<Int>()
      let operation = succeeding { ran.record(1) }
      operation.cancel()
      try queue.add(operation)
      queue.drain()
      #expect(operation.state.text == "cancelled requested")
      #expect(ran.all.isEmpty)
      #expect(throws: QueueError.alreadyAdded) { try queue.add(operation) }
    }
  }

  @Test func cancelWhileItWaitsEndsItAtOnce() throws {
    try withQueue(limit: 1) { queue in
      let (held, ran) = (Held(), Recorder<Int>())
      let waiting = succeeding { ran.record(1) }
      try queue.add(held.operation)
      try queue.add(waiting)
      queue.cancel(waiting)
      #expect(waiting.state.text == "cancelled requested")
      #expect(queue.count == 1)
      held.gate.open()
      queue.drain()
      #expect(ran.all.isEmpty)
    }
  }

  @Test func cancelDuringTheBodyWakesItAndTheBodyEndsIt() throws {
    try withQueue(limit: 1) { queue in
      let (started, woken, hooks) = (Gate(), Gate(), Recorder<String>())
      let operation = BlockingOperation(name: "blocked", onCancel: { hooks.record("operation") }) {
        flag in
        let hook = flag.onCancel { woken.open() }
        defer { hook.remove() }
        started.open()
        return woken.wait() && flag.isCancelled ? .cancelled : .failed(Fault())
      }
      try queue.add(operation)
      started.wait()
      for _ in 0..<3 { operation.cancel() }
      #expect(operation.waitUntilEnded().text == "cancelled")
      #expect(operation.state.text == "cancelled requested")
      #expect(hooks.all == ["operation"])
    }
  }

  @Test func whatABodySaysStandsEvenAfterCancel() throws {
    try withQueue(limit: 1) { queue in
      let held = Held()
      try queue.add(held.operation)
      held.started.wait()
      held.operation.cancel()
      #expect(held.operation.state.text == "executing")
      held.gate.open()
      #expect(held.operation.waitUntilEnded().text == "succeeded")
    }
  }

  @Test func cancelAfterTheEndChangesNothing() throws {
    try withQueue(limit: 1) { queue in
      let hooks = Recorder<Int>()
      let operation = BlockingOperation(name: "done", onCancel: { hooks.record(1) }) { _ in
        .succeeded
      }
      try queue.add(operation)
      _ = operation.waitUntilEnded()
      operation.cancel()
      #expect(operation.state.text == "finished")
      #expect(hooks.all.isEmpty)
    }
  }

  @Test func cancelAtAnyMomentEndsItExactlyOnce() throws {
    try withQueue(limit: 2) { queue in
      for _ in 0..<300 {
        let ends = Recorder<String>()
        let operation = BlockingOperation(name: "raced") {
          $0.isCancelled ? .cancelled : .succeeded
        }
        operation.observe { if $0.hasEnded { ends.record($0.text) } }
        let canceller = try WorkerThread.start(name: "canceller") { operation.cancel() }
        try queue.add(operation)
        canceller.join()
        queue.drain()
        #expect(eventually { !ends.all.isEmpty })
        #expect(ends.all.count == 1)
        #expect(["finished", "cancelled requested"].contains(ends.all.first))
      }
    }
  }
}

@Suite(.timeLimit(.minutes(2)))
struct CancellationFlagTests {
  @Test func hooksRunOnceInTheOrderAdded() {
    let (flag, seen) = (CancellationFlag(), Recorder<Int>())
    for number in 1...3 { flag.onCancel { seen.record(number) } }
    #expect(!flag.isCancelled)
    flag.cancel()
    flag.cancel()
    #expect(flag.isCancelled)
    #expect(seen.all == [1, 2, 3])
  }

  @Test func aHookAddedTooLateRunsAtOnce() {
    let (flag, seen) = (CancellationFlag(), Recorder<Int>())
    flag.cancel()
    flag.onCancel { seen.record(1) }.remove()
    #expect(seen.all == [1])
  }

  @Test func aRemovedHookNeverRuns() {
    let (flag, seen) = (CancellationFlag(), Recorder<Int>())
    let hook = flag.onCancel { seen.record(1) }
    flag.onCancel { seen.record(2) }
    hook.remove()
    hook.remove()
    flag.cancel()
    #expect(seen.all == [2])
  }

  @Test func removingWaitsForAHookThatRuns() throws {
    let (flag, inside, go, seen) = (CancellationFlag(), Gate(), Gate(), Recorder<String>())
    let hook = flag.onCancel {
      inside.open()
      go.wait()
      seen.record("hook")
    }
    let canceller = try WorkerThread.start(name: "canceller") { flag.cancel() }
    inside.wait()
    let remover = try WorkerThread.start(name: "remover") {
      hook.remove()
      seen.record("removed")
    }
    #expect(eventually { flag.hooks.waiterCount == 1 })
    go.open()
    canceller.join()
    remover.join()
    #expect(seen.all == ["hook", "removed"])
  }

  @Test func aHookMayRemoveItselfAndOthers() {
    let (flag, seen) = (CancellationFlag(), Recorder<Int>())
    let tokens = Monitor<[CancellationHook]>([])
    let first = flag.onCancel {
      seen.record(1)
      for token in tokens.withLock({ $0 }) { token.remove() }
    }
    let second = flag.onCancel { seen.record(2) }
    tokens.withLock { $0 = [first, second] }
    flag.cancel()
    #expect(seen.all == [1])
  }

  @Test func addingAndCancellingAtOnceRunsEveryHookOnce() throws {
    for _ in 0..<100 {
      let (flag, seen) = (CancellationFlag(), Recorder<Int>())
      let canceller = try WorkerThread.start(name: "canceller") { flag.cancel() }
      for number in 0..<20 { flag.onCancel { seen.record(number) } }
      canceller.join()
      #expect(seen.all.sorted() == Array(0..<20))
    }
  }
}
