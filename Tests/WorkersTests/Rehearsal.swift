// SPDX-License-Identifier: Apache-2.0
//
// Runs two scripts on a producer–consumer lock, one step at a time on two threads, beside a
// model of the lock that has no threads.

import Testing

@testable import Workers

enum Step: Sendable, Equatable, CustomTestStringConvertible {
  case produce(Int)
  case tryProduce(Int)
  case consume
  case batch(Int)
  case finish
  case fail(Int)
  case cancel

  var testDescription: String { "\(self)" }

  /// Does it for real; blocks where the lock does.
  func perform(on lock: ProducerConsumerLock<Int>) -> String {
    switch self {
    case .produce(let number): return "\(lock.produce(number))"
    case .tryProduce(let number): return "\(lock.tryProduce(number))"
    case .consume: return text(of: lock.consume())
    case .batch(let limit):
      let batch = lock.consumeBatch(upTo: limit)
      return batch.end.map(text) ?? "\(batch.elements)"
    case .finish: lock.finish()
    case .fail(let number): lock.fail(Fault(number))
    case .cancel: lock.cancel()
    }
    return "done"
  }

  private func text(of consumed: ProducerConsumerLock<Int>.Consumed) -> String {
    switch consumed {
    case .element(let number): "[\(number)]"
    case .finished: "finished"
    case .failed(let error): "failed \(number(of: error))"
    case .cancelled: "cancelled"
    }
  }

  private func text(of end: ProducerConsumerLock<Int>.End) -> String {
    switch end {
    case .finished: "finished"
    case .failed(let error): "failed \(number(of: error))"
    case .cancelled: "cancelled"
    }
  }
}

/// The contract, written down once more in the plainest way.
struct Model {
  let capacity: Int
  var elements: [Int] = []
  var end: String?

  /// What the step returns, or nil if it blocks.
  mutating func perform(_ step: Step) -> String? {
    switch step {
    case .produce(let number):
      if end != nil { return "closed" }
      return add(number) ? "accepted" : nil
    case .tryProduce(let number): return "\(end == nil && add(number))"
    case .consume: return take(1)
    case .batch(let limit): return take(limit)
    case .finish: close("finished")
    case .fail(let number): close("failed \(number)")
    case .cancel:
      if end == nil { elements = [] }
      close("cancelled")
    }
    return "done"
  }

  private mutating func add(_ number: Int) -> Bool {
    guard elements.count < capacity else { return false }
    elements.append(number)
    return true
  }

  private mutating func take(_ limit: Int) -> String? {
    if elements.isEmpty { return end }
    let taken = Array(elements.prefix(limit))
    elements.removeFirst(taken.count)
    return "\(taken)"
  }

  private mutating func close(_ how: String) {
    if end == nil { end = how }
  }
}

/// Two sides on two threads, each doing a step when told.
final class Rehearsal {
  private let lock: ProducerConsumerLock<Int>
  private let scripts: [[Step]]
  private let orders = [Monitor<[Step?]>([]), Monitor<[Step?]>([])]
  private let results = [Recorder<String>(), Recorder<String>()]
  private var model: Model
  private var expected: [[String]] = [[], []]
  private var blocked: [Step?] = [nil, nil]

  init(capacity: Int, scripts: [[Step]]) {
    lock = ProducerConsumerLock(capacity: capacity)
    model = Model(capacity: capacity)
    self.scripts = scripts
  }

  func run(_ order: [Int]) throws {
    let threads = try (0...1).map(startSide)
    defer {
      lock.cancel()
      for side in 0...1 { orders[side].withLock { $0.append(nil) } }
      for thread in threads { thread.join() }
    }
    var positions = [0, 0]
    for side in order where blocked[side] == nil {
      perform(scripts[side][positions[side]], on: side)
      positions[side] += 1
      try settle(order)
    }
    finish()
    try settle(order)
    #expect(results.map(\.all) == expected, "capacity \(model.capacity) \(scripts) \(order)")
  }

  private func startSide(_ side: Int) throws -> WorkerThread {
    let (order, results, lock) = (orders[side], results[side], lock)
    return try WorkerThread.start(name: "side \(side)") {
      while let step = order.wait(until: { $0.isEmpty ? nil : .some($0.removeFirst()) }) {
        results.record(step.perform(on: lock))
      }
    }
  }

  private func perform(_ step: Step, on side: Int) {
    orders[side].withLock { $0.append(step) }
    advance(step, on: side)
    retryBlocked()
  }

  private func advance(_ step: Step, on side: Int) {
    if let result = model.perform(step) {
      expected[side].append(result)
      blocked[side] = nil
    } else {
      blocked[side] = step
    }
  }

  private func retryBlocked() {
    for side in 0...1 { if let step = blocked[side] { advance(step, on: side) } }
  }

  /// Waits until both sides have done what the model says, or are blocked as it says.
  private func settle(_ order: [Int]) throws {
    let isDone = eventually {
      (0...1).allSatisfy { results[$0].all.count >= expected[$0].count }
        && lock.contents.waiterCount == blocked.count { $0 != nil }
    }
    try #require(isDone, "not as the model: \(scripts) \(order) \(expected) \(results.map(\.all))")
  }

  /// Whoever is still blocked is woken by a cancel from a third side.
  private func finish() {
    lock.cancel()
    _ = model.perform(.cancel)
    retryBlocked()
  }
}
