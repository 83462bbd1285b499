// SPDX-License-Identifier: Apache-2.0
//
// HandleCache: idle handles with their live TCP connections, for whoever connects next.
//
// Owns     the idle pairs, at most `limit`.
// Threads  any; the lock is never held while libcurl works.

internal import Synchronization
internal import Transfers

/// Keeps idle libcurl handles and their connections for reuse.
public final class HandleCache: Sendable {
  private struct Idle {
    var pairs: [HandlePair] = []
    var isClosed = false
  }

  private let idle = Mutex(Idle())
  private let limit: Int
  private let userAgent: String

  /// Makes an empty cache.
  ///
  /// - Parameters:
  ///   - limit: How many idle handles are kept at most, one for each worker.
  ///   - userAgent: The User-Agent of every request (RFC 9110 section 10.1.5).
  public init(limit: Int = 16, userAgent: String = "winch") {
    Curl.initialize()
    self.limit = limit
    self.userAgent = userAgent
  }

  /// Closes all idle connections; those in use are closed when their runs end.
  public func close() {
    let dropped = idle.withLock { idle in
      defer { idle = Idle(isClosed: true) }
      return idle.pairs
    }
    // Their sockets are closed here, outside the lock.
    _ = consume dropped
  }

  /// A pair for an exchange with `origin`: the latest one connected there, else a new one while
  /// there is room, else the one that has been idle longest.
  func take(for origin: Origin) -> HandlePair {
    let found = idle.withLock { idle -> HandlePair? in
      if let match = idle.pairs.lastIndex(where: { $0.origins.contains(origin) }) {
        return idle.pairs.remove(at: match)
      }
      return idle.pairs.count < limit ? nil : idle.pairs.popFirst()
    }
    return found ?? HandlePair(userAgent: userAgent)
  }

  /// Gives a pair back.
  func give(back pair: HandlePair) {
    let dropped = idle.withLock { idle -> HandlePair? in
      guard !idle.isClosed, limit > 0 else { return pair }
      idle.pairs.append(pair)
      return idle.pairs.count > limit ? idle.pairs.removeFirst() : nil
    }
    _ = consume dropped
  }
}

extension [HandlePair] {
  fileprivate mutating func popFirst() -> HandlePair? {
    isEmpty ? nil : removeFirst()
  }
}
