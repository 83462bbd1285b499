// SPDX-License-Identifier: Apache-2.0
//
// The queue: its limit, its order, cancelling all, draining, shutting down.

import Glibc
import Testing

@testable import Workers

@Suite(.timeLimit(.minutes(2)))
struct OperationQueueTests {
  @Test(arguments: [1, 2, 5])
  func neverMoreThanTheLimitRunAndAllDo(limit: Int) throws {
    let running = Monitor((now: 0, most: 0, done: 0))
    try withQueue(limit: limit) { queue in
      for _ in 0..<60 {
        try queue.add(
          succeeding {
            running.withLock {
              $0.now += 1
              $0.most = max($0.most, $0.now)
            }
            sched_yield()
            running.withLock {
              $0.now -= 1
              $0.done += 1
            }
          }
        )
      }
      queue.drain()
    }
    #expect(running.withLock { $0.now } == 0)
    #expect(running.withLock { $0.done } == 60)
    #expect((1...limit).contains(running.withLock { $0.most }))
  }

  @Test func asManyAsTheLimitRunAtOnce() throws {
    try withQueue(limit: 4) { queue in
      let held = (0..<4).map { _ in Held() }
      for one in held { try queue.add(one.operation) }
      for one in held { #expect(one.started.wait()) }
      for one in held { one.gate.open() }
    }
  }

  @Test func aRaisedLimitStartsMoreAtOnce() throws {
    try withQueue(limit: 0) { queue in
      let held = (0..<3).map { _ in Held() }
      for one in held { try queue.add(one.operation) }
      #expect(held.allSatisfy { $0.operation.state.text == "ready" })
      queue.limit = 1
      #expect(held[0].started.wait())
      #expect(held[1].operation.state.text == "ready")
      queue.limit = 3
      #expect(held[1].started.wait() && held[2].started.wait())
      for one in held { one.gate.open() }
    }
  }

  @Test func aLoweredLimitStopsNothingAndStartsNothing() throws {
    try withQueue(limit: 2) { queue in
      let (first, second, third) = (Held(), Held(), Held())
      for one in [first, second, third] { try queue.add(one.operation) }
      #expect(first.started.wait() && second.started.wait())
      queue.limit = 1
      #expect(queue.limit == 1)
      first.gate.open()
      _ = first.operation.waitUntilEnded()
      #expect(eventually { queue.restingCount == 1 })
      #expect(third.operation.state.text == "ready")
      second.gate.open()
      #expect(third.started.wait())
      third.gate.open()
    }
  }

  @Test func operationsStartInTheOrderTheyStandInTheQueue() throws {
    try withQueue(limit: 0) { queue in
      let order = Recorder<Int>()
      for number in 1...5 { try queue.add(succeeding { order.record(number) }) }
      for number in 6...8 {
        try queue.add(succeeding { order.record(number) }, position: .first)
      }
      queue.limit = 1
      queue.drain()
      #expect(order.all == [8, 7, 6, 1, 2, 3, 4, 5])
    }
  }

  @Test func threadsAreKeptForTheNextOperation() throws {
    try withQueue(limit: 3) { queue in
      let threads = Recorder<UInt>()
      for _ in 0..<50 {
        try queue.add(succeeding { threads.record(pthread_self()) })
        queue.drain()
        #expect(eventually { queue.restingCount == 1 })
      }
      #expect(Set(threads.all).count == 1)
    }
  }

  @Test func cancelAllEndsWhatWaitsAndAsksWhatRuns() throws {
    try withQueue(limit: 1) { queue in
      let (started, woken, ran) = (Gate(), Gate(), Recorder<Int>())
      let running = BlockingOperation(name: "running", onCancel: { woken.open() }) { _ in
        started.open()
        return woken.wait() ? .cancelled : .failed(Fault())
      }
      let waiting = (0..<5).map { _ in succeeding { ran.record(1) } }
      try queue.add(running)
      for one in waiting { try queue.add(one) }
      try queue.add(succeeding { ran.record(2) }, after: waiting)
      started.wait()
      queue.cancelAll()
      queue.drain()
      #expect(ran.all.isEmpty)
      #expect((waiting + [running]).allSatisfy { $0.state.text == "cancelled requested" })
    }
  }

  @Test func drainReturnsAtOnceWhenNothingIsThere() {
    withQueue(limit: 1) { queue in
      queue.drain()
      #expect(queue.count == 0)
    }
  }

  @Test func drainWaitsForOperationsAddedMeanwhile() throws {
    try withQueue(limit: 1) { queue in
      let order = Recorder<Int>()
      try queue.add(
        succeeding {
          try? queue.add(succeeding { order.record(2) })
          order.record(1)
        }
      )
      queue.drain()
      #expect(order.all == [1, 2])
    }
  }

  @Test func shutdownEndsEverythingAndJoinsEveryThread() throws {
    let before = threadCount(named: "shut")
    let queue = BlockingOperationQueue(name: "shut", limit: 3)
    let ends = Recorder<String>()
    for number in 0..<20 {
      let woken = Gate()
      let operation = BlockingOperation(
        name: "\(number)",
        onCancel: { woken.open() },
        body: { _ in woken.wait() ? .cancelled : .failed(Fault()) }
      )
      operation.observe { if $0.hasEnded { ends.record($0.text) } }
      try queue.add(operation)
    }
    #expect(eventually { threadCount(named: "shut") == before + 3 })
    queue.shutdown()
    #expect(threadCount(named: "shut") == before)
    #expect(ends.all == Array(repeating: "cancelled queueShutDown", count: 20))
    #expect(queue.count == 0)
  }

  @Test func aClosedQueueRefusesAndTheOperationStaysFree() throws {
    let queue = BlockingOperationQueue(name: "closed", limit: 1)
    queue.shutdown()
    let operation = succeeding()
    #expect(throws: QueueError.closed) { try queue.add(operation) }
    #expect(throws: QueueError.closed) { try queue.addCompletion(operation, whenAllEnded: []) }
    try withQueue(limit: 1) { other in
      try other.add(operation)
      #expect(operation.waitUntilEnded().text == "succeeded")
    }
  }

  @Test func shutdownsMayCoincideWithEachOtherAndWithAdding() throws {
    for _ in 0..<100 {
      let queue = BlockingOperationQueue(name: "busy", limit: 2)
      let (ends, added) = (Recorder<String>(), Recorder<Int>())
      let adder = try WorkerThread.start(name: "adder") {
        for number in 0..<20 {
          let operation = succeeding()
          operation.observe { if $0.hasEnded { ends.record($0.text) } }
          do { try queue.add(operation) } catch { break }
          added.record(number)
        }
      }
      let closers = try (0..<2).map { _ in
        try WorkerThread.start(name: "closer") { queue.shutdown() }
      }
      for thread in closers + [adder] { thread.join() }
      #expect(ends.all.count == added.all.count)
    }
  }

  @Test func nobodyKeepsAQueueOrItsOperationsAfterShutdown() throws {
    weak var queueLeft: BlockingOperationQueue?
    weak var operationLeft: BlockingOperation?
    do {
      let queue = BlockingOperationQueue(name: "gone", limit: 1)
      let operation = succeeding()
      (queueLeft, operationLeft) = (queue, operation)
      try queue.add(operation)
      try queue.addCompletion(succeeding(), whenAllEnded: [operation])
      queue.drain()
      queue.shutdown()
    }
    #expect(queueLeft == nil)
    #expect(operationLeft == nil)
  }

  @Test func tenThousandTinyOperationsAllRun() throws {
    let sum = Monitor(0)
    try withQueue(limit: 16) { queue in
      for _ in 0..<10_000 { try queue.add(succeeding { sum.withLock { $0 += 1 } }) }
      queue.drain()
    }
    #expect(sum.withLock { $0 } == 10_000)
  }

  @Test func theReadyHeapGivesTheLowestPlaceFirst() {
    var (heap, places) = (ReadyHeap(), [Int: OperationID]())
    for place in (0..<97).map({ $0 * 31 % 97 }) {
      let operation = succeeding()
      places[place] = operation.id
      heap.insert(ReadyHeap.Entry(place: place, operation: operation))
    }
    for place in 0..<97 { #expect(heap.popFirst()?.id == places[place]) }
    #expect(heap.popFirst() == nil)
  }
}

/// How many of this process's threads bear the name.
func threadCount(named name: String) -> Int {
  guard let directory = opendir("/proc/self/task") else { return 0 }
  defer { closedir(directory) }
  var count = 0
  while let entry = readdir(directory) {
    let thread = withUnsafeBytes(of: entry.pointee.d_name) {
      String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
    }
    let descriptor = open("/proc/self/task/\(thread)/comm", O_RDONLY)
    guard descriptor >= 0 else { continue }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 32)
    let length = max(read(descriptor, &bytes, bytes.count) - 1, 0)
    if String(decoding: bytes.prefix(length), as: UTF8.self) == name { count += 1 }
  }
  return count
}
