// SPDX-License-Identifier: Apache-2.0
//
// Operations that wait for others: order, diamonds, cycles, failure, cancel, completion.

import Testing

@testable import Workers

@Suite(.timeLimit(.minutes(2)))
struct DependencyTests {
  @Test func aDependentRunsAfterItsDependencyWhicheverIsAddedFirst() throws {
    try withQueue(limit: 4) { queue in
      let order = Recorder<Int>()
      let (first, second) = (succeeding { order.record(1) }, succeeding { order.record(2) })
      try queue.add(second, after: [first])
      #expect(second.state.text == "ready")
      try queue.add(first)
      queue.drain()
      #expect(order.all == [1, 2])
    }
  }

  @Test func aDiamondRunsTopSidesBottom() throws {
    try withQueue(limit: 4) { queue in
      for _ in 0..<50 {
        let order = Recorder<String>()
        let top = succeeding { order.record("top") }
        let sides = (0..<2).map { _ in succeeding { order.record("side") } }
        let bottom = succeeding { order.record("bottom") }
        try queue.add(bottom, after: sides + [top])
        for side in sides { try queue.add(side, after: [top, top]) }
        try queue.add(top)
        queue.drain()
        #expect(order.all == ["top", "side", "side", "bottom"])
      }
    }
  }

  @Test func dependenciesMayBeInAnotherQueue() throws {
    try withQueue(limit: 1) { queue in
      try withQueue(limit: 1) { other in
        let (held, after) = (Held(), succeeding())
        try queue.add(held.operation)
        try other.add(after, after: [held.operation])
        #expect(after.state.text == "ready")
        held.gate.open()
        #expect(after.waitUntilEnded().text == "succeeded")
      }
    }
  }

  @Test func dependenciesThatHaveEndedCountAtOnce() throws {
    try withQueue(limit: 1) { queue in
      let (good, bad) = (succeeding(), failing(3))
      try queue.add(good)
      try queue.add(bad)
      queue.drain()
      let (afterGood, afterBad, completion) = (succeeding(), succeeding(), succeeding())
      try queue.add(afterGood, after: [good])
      try queue.add(afterBad, after: [bad])
      try queue.addCompletion(completion, whenAllEnded: [good, bad])
      queue.drain()
      #expect(afterGood.state.text == "finished")
      #expect(afterBad.state.text == "cancelled by failed failing 3")
      #expect(completion.state.text == "finished")
    }
  }

  @Test func aDependentTakesItsTurnByItsPlaceInTheQueue() throws {
    try withQueue(limit: 1) { queue in
      let (order, gate) = (Recorder<Int>(), Held())
      try queue.add(gate.operation)
      try queue.add(succeeding { order.record(1) }, after: [gate.operation])
      try queue.add(succeeding { order.record(2) }, after: [gate.operation])
      try queue.add(succeeding { order.record(3) })
      gate.gate.open()
      queue.drain()
      #expect(order.all == [1, 2, 3])
    }
  }
}

@Suite(.timeLimit(.minutes(2)))
struct CycleTests {
  @Test(arguments: 1...6)
  func aCycleOfAnyLengthIsRefusedAndTheRestStillRuns(length: Int) throws {
    try withQueue(limit: 2) { queue in
      let ring = (0..<length).map { succeeding("\($0)") }
      for position in 0..<(length - 1) {
        try queue.add(ring[position], after: [ring[position + 1]])
      }
      let last = ring[length - 1]
      #expect(throws: QueueError.cycle) { try queue.add(last, after: [ring[0]]) }
      #expect(queue.count == length - 1)
      try queue.add(last)
      queue.drain()
      #expect(ring.allSatisfy { $0.state.text == "finished" })
    }
  }

  @Test func aCycleThroughTwoQueuesIsRefused() throws {
    try withQueue(limit: 1) { queue in
      try withQueue(limit: 1) { other in
        let (first, second) = (succeeding(), succeeding())
        try queue.add(first, after: [second])
        #expect(throws: QueueError.cycle) { try other.add(second, after: [first]) }
        #expect(throws: QueueError.cycle) {
          try other.addCompletion(second, whenAllEnded: [first])
        }
        try other.add(second)
        #expect(first.waitUntilEnded().text == "succeeded")
      }
    }
  }

  @Test func twoAddsThatCloseACycleAtTheSameMomentAreNotBothTaken() throws {
    for _ in 0..<200 {
      try withQueue(limit: 1) { queue in
        let (first, second, refused) = (succeeding(), succeeding(), Recorder<Bool>())
        let threads = try [(first, second), (second, first)].map { one, other in
          try WorkerThread.start(name: "adder") {
            do throws(QueueError) { try queue.add(one, after: [other]) } catch {
              refused.record(error == .cycle)
            }
          }
        }
        for thread in threads { thread.join() }
        #expect(refused.all == [true] || refused.all == [true, true])
      }
    }
  }

  @Test func anOperationIsTakenOnce() throws {
    try withQueue(limit: 1) { queue in
      try withQueue(limit: 1) { other in
        let held = Held()
        try queue.add(held.operation)
        #expect(throws: QueueError.alreadyAdded) { try queue.add(held.operation) }
        #expect(throws: QueueError.alreadyAdded) { try other.add(held.operation) }
        held.gate.open()
        queue.drain()
        #expect(throws: QueueError.alreadyAdded) { try queue.add(held.operation) }
        other.drain()
      }
    }
  }
}

@Suite(.timeLimit(.minutes(2)))
struct FailureTests {
  @Test func aFailedDependencyCancelsAllThatFollowsWithItsReason() throws {
    try withQueue(limit: 2) { queue in
      let (bad, ran) = (failing(5), Recorder<Int>())
      let chain = (0..<3).map { _ in succeeding { ran.record(1) } }
      try queue.add(chain[2], after: [chain[1]])
      try queue.add(chain[1], after: [chain[0]])
      try queue.add(chain[0], after: [bad])
      try queue.add(bad)
      queue.drain()
      #expect(chain.allSatisfy { $0.state.text == "cancelled by failed failing 5" })
      #expect(ran.all.isEmpty)
    }
  }

  @Test func cancelOfAWaitingOperationFreesItsDependentsAtOnce() throws {
    try withQueue(limit: 0) { queue in
      let (first, second, third) = (succeeding("first"), succeeding(), succeeding())
      try queue.add(first)
      try queue.add(second, after: [first])
      try queue.add(third, after: [second])
      first.cancel()
      #expect(first.state.text == "cancelled requested")
      #expect(second.state.text == "cancelled by cancelled first")
      #expect(third.state.text == "cancelled by cancelled first")
      #expect(queue.count == 0)
    }
  }

  @Test func aVeryLongChainIsCancelledWithoutDeepStacks() throws {
    try withQueue(limit: 0) { queue in
      let chain = (0..<20_000).map { _ in succeeding() }
      try queue.add(chain[0])
      for position in 1..<chain.count {
        try queue.add(chain[position], after: [chain[position - 1]])
      }
      chain[0].cancel()
      queue.drain()
      #expect(chain.allSatisfy { $0.state.hasEnded })
    }
  }

  @Test func completionsRunHoweverTheirDependenciesEnd() throws {
    try withQueue(limit: 2) { queue in
      let (good, bad, cancelled, givenUp) = (
        succeeding(), failing(), succeeding(), BlockingOperation(name: "x") { _ in .cancelled }
      )
      let states = Recorder<[String]>()
      let all = [good, bad, cancelled, givenUp]
      let completion = succeeding { states.record(all.map(\.state.text)) }
      try queue.addCompletion(completion, whenAllEnded: all)
      cancelled.cancel()
      for one in all { try queue.add(one) }
      queue.drain()
      #expect(
        states.all == [["finished", "failed 0", "cancelled requested", "cancelled givenUp"]]
      )
    }
  }

  @Test func completionsRunAfterCancelAll() throws {
    try withQueue(limit: 0) { queue in
      let (one, completion) = (succeeding(), succeeding())
      try queue.add(one)
      try queue.addCompletion(completion, whenAllEnded: [one])
      queue.cancelAll()
      #expect(one.state.text == "cancelled requested")
      #expect(completion.state.text == "ready")
      queue.limit = 1
      queue.drain()
      #expect(completion.state.text == "finished")
    }
  }

  @Test func shutdownCancelsCompletionsToo() throws {
    let queue = BlockingOperationQueue(name: "closing", limit: 0)
    let (one, completion) = (succeeding(), succeeding())
    try queue.add(one)
    try queue.addCompletion(completion, whenAllEnded: [one])
    queue.shutdown()
    #expect(completion.state.text == "cancelled queueShutDown")
  }
}
