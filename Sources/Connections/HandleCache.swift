// SPDX-License-Identifier: Apache-2.0
//
// HandleCache: idle handles with their live TCP connections, for whoever connects next.
//
// Handles lie on shelves; a thread uses its own first, so that workers who each fetch thousands of
// small files neither wait for one another nor lose their connection to each other.
//
// Owns     the idle pairs, at most `limit`.
// Threads  any; no lock is held while libcurl works, and never two.

internal import Glibc
internal import Synchronization
internal import Transfers
internal import Workers

/// Keeps idle libcurl handles and their connections for reuse.
public final class HandleCache: Sendable {
  private let shelves: [HandleShelf]
  private let count = Atomic(0)
  private let isClosed = Atomic(false)
  /// How files of ftp begin.
  let beginnings = Beginnings()
  private let limit: Int
  private let userAgent: String
  private let netrc = Netrc()

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - limit: How many idle handles are kept at most, one for each worker.
  ///   - userAgent: The User-Agent of every request (RFC 9110 section 10.1.5).
  public init(limit: Int = 16, userAgent: String = "winch") {
    Curl.initialize()
    shelves = (0..<8).map { _ in HandleShelf() }
    self.limit = limit
    self.userAgent = userAgent
  }

  /// Closes all idle connections; those in use are closed when their runs end.
  public func close() {
    isClosed.store(true, ordering: .sequentiallyConsistent)
    for shelf in shelves { drop(shelf.takeAll()) }
  }

  /// A pair for an exchange with `origin`: the latest one connected there, else a new one while
  /// there is room, else the one that has been idle longest.
  func take(for origin: Origin) -> HandlePair {
    for shelf in ownShelfFirst {
      if let pair = shelf.take(connectedTo: origin) { return counted(pair) }
    }
    guard count.load(ordering: .relaxed) >= limit, let oldest = takeOldest() else {
      return HandlePair(userAgent: userAgent, netrc)
    }
    return oldest.wantsGoodbye ? HandlePair(userAgent: userAgent, netrc) : oldest
  }

  /// Gives a pair back.
  func give(back pair: HandlePair) {
    guard limit > 0, !isClosed.load(ordering: .sequentiallyConsistent) else { return }
    let idle = count.add(1, ordering: .relaxed).newValue
    shelves[ownShelf].add(pair)
    if idle > limit { _ = takeOldest() }
    // The cache may have been closed since we looked.
    if isClosed.load(ordering: .sequentiallyConsistent) { close() }
  }

  private var ownShelf: Int {
    // Threads' handles are addresses; their low bits are all alike.
    Int(truncatingIfNeeded: pthread_self() >> 12) & (shelves.count - 1)
  }

  private var ownShelfFirst: [HandleShelf] {
    [shelves[ownShelf]] + shelves
  }

  private func takeOldest() -> HandlePair? {
    for shelf in ownShelfFirst {
      if let pair = shelf.takeOldest() { return counted(pair) }
    }
    return nil
  }

  private func counted(_ pair: HandlePair) -> HandlePair {
    count.subtract(1, ordering: .relaxed)
    return pair
  }

  private func drop(_ pairs: [HandlePair]) {
    count.subtract(pairs.count, ordering: .relaxed)
  }
}

/// Some idle handles.
private final class HandleShelf: Sendable {
  private let pairs = Monitor<[HandlePair]>([])

  func take(connectedTo origin: Origin) -> HandlePair? {
    pairs.withLock { pairs in
      pairs.lastIndex { $0.origins.contains(origin) }.map { pairs.remove(at: $0) }
    }
  }

  func takeOldest() -> HandlePair? {
    pairs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
  }

  func takeAll() -> [HandlePair] {
    pairs.withLock { pairs in
      defer { pairs = [] }
      return pairs
    }
  }

  func add(_ pair: HandlePair) {
    pairs.withLock { $0.append(pair) }
  }
}
