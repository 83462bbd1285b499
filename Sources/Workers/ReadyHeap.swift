// SPDX-License-Identifier: Apache-2.0
//
// The operations that wait only for a thread, the one with the lowest place in the queue first.
// A binary heap: adding and taking cost the logarithm of the number inside. A value, no lock.

/// Operations by their place in the queue.
struct ReadyHeap {
  struct Entry {
    let place: Int
    let operation: BlockingOperation
  }

  private var entries: [Entry] = []

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child].place < entries[(child - 1) / 2].place {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> BlockingOperation? {
    guard let first = entries.first else { return nil }
    entries.swapAt(0, entries.count - 1)
    entries.removeLast()
    sink()
    return first.operation
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var least = parent
      for child in (2 * parent + 1)...(2 * parent + 2)
      where child < entries.count && entries[child].place < entries[least].place {
        least = child
      }
      if least == parent { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
