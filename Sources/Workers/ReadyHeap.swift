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
      let children = (2 * parent + 1)..<min(2 * parent + 3, max(entries.count, 2 * parent + 1))
      guard let least = children.min(by: { entries[$0].place < entries[$1].place }),
        entries[least].place < entries[parent].place
      else { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }
}
