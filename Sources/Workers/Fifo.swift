// SPDX-License-Identifier: Apache-2.0
//
// First in, first out, in an array that moves its elements seldom.
// A value without a lock of its own; `ProducerConsumerLock` keeps one behind its monitor.
// Elements are let go as they leave, never later.

/// Elements that leave in the order they came.
struct Fifo<Element> {
  private var slots: [Element?] = []
  private var head = 0

  var count: Int { slots.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) {
    slots.append(element)
  }

  /// Takes the oldest element, amortised in constant time.
  mutating func popFirst() -> Element? {
    guard head < slots.count else { return nil }
    let element = slots[head]
    slots[head] = nil
    head += 1
    if head == slots.count {
      slots.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 64, head * 2 >= slots.count {
      slots.removeFirst(head)
      head = 0
    }
    return element
  }

  /// Takes the oldest elements, at most so many.
  mutating func popFirst(_ limit: Int) -> [Element] {
    (0..<min(limit, count)).compactMap { _ in popFirst() }
  }

  mutating func removeAll() {
    slots.removeAll()
    head = 0
  }
}
