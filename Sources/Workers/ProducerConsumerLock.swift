// SPDX-License-Identifier: Apache-2.0
//
// The bounded hand-over between two threads: one side produces, the other consumes, and whoever
// is ahead waits. Owns what was produced and not yet consumed. Any number of threads may stand
// on either side. It ends once: finished or failed (what is inside is still handed over first)
// or cancelled (what is inside is let go, both sides return at once).
// Never blocks a side whose other side has left, as long as that side said so by ending it.

/// A bounded queue between threads that blocks while full, blocks while empty, and ends once.
public final class ProducerConsumerLock<Element: Sendable>: Sendable {
  /// What became of an element given to `produce`.
  public enum Produced: Sendable, Equatable {
    /// It will be consumed, unless the lock is cancelled first.
    case accepted
    /// The lock had ended; the element was dropped.
    case closed
  }

  /// How the hand-over ended.
  public enum End: Sendable {
    /// Everything was produced.
    case finished
    /// The producing side gave up, for the reason given.
    case failed(any Error & Sendable)
    /// One of the sides called it off.
    case cancelled
  }

  /// What `consume` got.
  public enum Consumed: Sendable {
    /// The oldest element.
    case element(Element)
    /// Everything was produced, and nothing is left.
    case finished
    /// The producing side gave up, and nothing is left.
    case failed(any Error & Sendable)
    /// One of the sides called it off.
    case cancelled
  }

  struct Contents {
    var elements = Fifo<Element>()
    var end: End?
  }

  /// The most elements it holds, at least one.
  public let capacity: Int

  let contents = Monitor(Contents())

  /// Makes an empty, open lock.
  ///
  /// - Parameter capacity: The most elements it holds, at least one.
  public init(capacity: Int) {
    precondition(capacity >= 1, "a lock without room could never hand anything over")
    self.capacity = capacity
  }

  /// Hands an element over, blocking while there is no room.
  ///
  /// - Parameter element: What to hand over.
  /// - Returns: `closed` when the lock has ended, or ends while this call waits.
  public func produce(_ element: Element) -> Produced {
    contents.wait { contents in
      if contents.end != nil { return .closed }
      guard contents.elements.count < capacity else { return nil }
      contents.elements.append(element)
      return .accepted
    }
  }

  /// Hands an element over if there is room; never blocks.
  ///
  /// - Parameter element: What to hand over.
  /// - Returns: False when full or ended; the element was then dropped.
  public func tryProduce(_ element: Element) -> Bool {
    contents.withLock { contents in
      guard contents.end == nil, contents.elements.count < capacity else { return false }
      contents.elements.append(element)
      return true
    }
  }

  /// Takes the oldest element, blocking while there is none and more may come.
  ///
  /// - Returns: The element, or how the hand-over ended; an end is returned again on every call.
  public func consume() -> Consumed {
    contents.wait { contents in
      if let element = contents.elements.popFirst() { return .element(element) }
      switch contents.end {
      case nil: return nil
      case .finished: return .finished
      case .failed(let error): return .failed(error)
      case .cancelled: return .cancelled
      }
    }
  }

  /// Takes all elements that are there, blocking while there is none and more may come.
  ///
  /// - Parameter limit: The most elements to take, at least one.
  /// - Returns: At least one element and no end, or no element and how the hand-over ended.
  public func consumeBatch(upTo limit: Int) -> (elements: [Element], end: End?) {
    precondition(limit >= 1, "a batch has room for one element at least")
    return contents.wait { contents in
      if !contents.elements.isEmpty { return (contents.elements.popFirst(limit), nil) }
      return contents.end.map { ([], $0) }
    }
  }

  /// How the hand-over ended, or nil while it is open; elements may still be inside.
  public var end: End? { contents.withLock { $0.end } }

  /// Says that nothing more comes; what is inside is still consumed.
  ///
  /// Ignored after another end.
  public func finish() {
    close(.finished)
  }

  /// Says why nothing more comes; what is inside is still consumed.
  ///
  /// Ignored after another end.
  ///
  /// - Parameter error: Given to the consumers once the elements are gone.
  public func fail(_ error: any Error & Sendable) {
    close(.failed(error))
  }

  /// Calls it off from either side: wakes everyone, lets go of what is inside.
  ///
  /// Ignored after another end: what was produced before `finish` is still consumed.
  public func cancel() {
    let dropped = contents.withLock { contents in
      guard contents.end == nil else { return Fifo<Element>() }
      contents.end = .cancelled
      defer { contents.elements.removeAll() }
      return contents.elements
    }
    // What an element does when it is let go is its own affair, so it happens without the lock.
    withExtendedLifetime(dropped) {}
  }

  private func close(_ end: End) {
    contents.withLock { contents in
      if contents.end == nil { contents.end = end }
    }
  }
}
