// SPDX-License-Identifier: Apache-2.0
//
// The hand-over in every order its two sides can take. Each script of the producing side is
// merged in all ways with each script of the consuming side and run by two real threads, one
// step at a time; a model without threads says what every call must return, and which must block.

import Testing

@testable import Workers

@Suite(.timeLimit(.minutes(5)))
struct ProducerConsumerLockTests {
  static let producing: [[Step]] = [
    [.produce(1), .finish],
    [.produce(1), .produce(2), .finish],
    [.produce(1), .produce(2), .fail(3)],
    [.produce(1), .cancel, .produce(2)],
    [.tryProduce(1), .tryProduce(2), .finish, .tryProduce(3)],
    [.finish, .fail(1), .cancel],
    [.fail(1), .finish, .produce(1)],
    [.cancel, .fail(1), .finish],
    [.produce(1), .produce(2), .produce(3)],
    [],
  ]

  static let consuming: [[Step]] = [
    [.consume, .consume, .consume],
    [.consume, .cancel, .consume],
    [.batch(2), .batch(5)],
    [.batch(1), .consume],
    [.cancel, .consume],
    [.consume, .finish, .consume],
    [.fail(8), .consume],
    [],
  ]

  @Test(arguments: [1, 2, 3], producing)
  func everyOrderOfTheTwoSidesEndsAsTheModelSays(capacity: Int, script: [Step]) throws {
    for other in Self.consuming {
      for order in merges(script.count, other.count) {
        try Rehearsal(capacity: capacity, scripts: [script, other]).run(order)
      }
    }
  }

  @Test(arguments: [1, 4], [1, 3])
  func everythingArrivesOnce(capacity: Int, perSide: Int) throws {
    let lock = ProducerConsumerLock<Int>(capacity: capacity)
    let received = Recorder<[Int]>()
    let consumers = try (0..<perSide).map { _ in
      try WorkerThread.start(name: "consumer") { received.record(consumeAll(lock)) }
    }
    let producers = try (0..<perSide).map { side in
      try WorkerThread.start(name: "producer") {
        for number in 0..<2_000 { _ = lock.produce(side * 2_000 + number) }
      }
    }
    for producer in producers { producer.join() }
    lock.finish()
    for consumer in consumers { consumer.join() }
    #expect(received.all.flatMap(\.self).sorted() == Array(0..<perSide * 2_000))
    if perSide == 1 { #expect(received.all == [Array(0..<2_000)]) }
  }

  @Test func cancelWakesEveryoneOnBothSides() throws {
    let (full, empty) = (filled(2), ProducerConsumerLock<Int>(capacity: 1))
    let results = Recorder<String>()
    let threads = try (0..<3).flatMap { _ in
      [
        try WorkerThread.start(name: "producer") { results.record("\(full.produce(9))") },
        try WorkerThread.start(name: "consumer") { results.record("\(empty.consume())") },
      ]
    }
    #expect(eventually { full.contents.waiterCount == 3 && empty.contents.waiterCount == 3 })
    full.cancel()
    empty.cancel()
    for thread in threads { thread.join() }
    #expect(
      results.all.sorted() == ["cancelled", "cancelled", "cancelled"] + [
        "closed", "closed", "closed",
      ]
    )
  }

  @Test func cancelLetsGoOfWhatIsInside() {
    let lock = ProducerConsumerLock<Gate>(capacity: 2)
    weak var inside: Gate?
    do {
      let gate = Gate()
      inside = gate
      _ = lock.produce(gate)
    }
    #expect(inside != nil)
    lock.cancel()
    #expect(inside == nil)
  }

  @Test func onlyOneOfManyEndsWins() throws {
    for _ in 0..<50 {
      let lock = ProducerConsumerLock<Int>(capacity: 1)
      let gate = Gate()
      let ends: [@Sendable () -> Void] = [lock.finish, { lock.fail(Fault(1)) }, lock.cancel]
      let threads = try ends.map { end in
        try WorkerThread.start(name: "ender") {
          gate.wait()
          end()
        }
      }
      gate.open()
      for thread in threads { thread.join() }
      #expect("\(lock.consume())" == "\(lock.consume())")
      #expect(lock.produce(1) == .closed)
    }
  }

  private func filled(_ capacity: Int) -> ProducerConsumerLock<Int> {
    let lock = ProducerConsumerLock<Int>(capacity: capacity)
    for number in 0..<capacity { _ = lock.produce(number) }
    return lock
  }
}

@Suite
struct FifoTests {
  @Test func elementsLeaveInTheOrderTheyCame() {
    var fifo = Fifo<Int>()
    var (next, expected) = (0, 0)
    for round in 0..<2_000 {
      for _ in 0..<(round % 5) {
        fifo.append(next)
        next += 1
      }
      for _ in 0..<(round % 4) where expected < next {
        #expect(fifo.popFirst() == expected)
        expected += 1
      }
      #expect(fifo.count == next - expected)
    }
    #expect(fifo.popFirst(.max) == Array(expected..<next))
    #expect(fifo.popFirst() == nil)
  }
}

private func consumeAll(_ lock: ProducerConsumerLock<Int>) -> [Int] {
  var all: [Int] = []
  while case .element(let element) = lock.consume() { all.append(element) }
  return all
}

/// All ways to interleave so many steps of side 0 with so many of side 1.
private func merges(_ first: Int, _ second: Int) -> [[Int]] {
  if first == 0 { return [Array(repeating: 1, count: second)] }
  if second == 0 { return [Array(repeating: 0, count: first)] }
  return merges(first - 1, second).map { [0] + $0 } + merges(first, second - 1).map { [1] + $0 }
}
