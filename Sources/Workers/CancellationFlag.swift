// SPDX-License-Identifier: Apache-2.0
//
// Tells a running body that it is no longer wanted: a flag to look at, and hooks that wake it
// out of whatever it blocks in. Set once, never unset. Any thread may set it, look at it, add or
// remove a hook; hooks run on the thread that cancels, without any lock held.
// Removing a hook waits for it, so what the hook touches may be freed right afterwards.

internal import Glibc
internal import Synchronization

/// A wish to stop, seen by asking and by hooks.
public final class CancellationFlag: Sendable {
  struct Hooks {
    var isCancelled = false
    var waiting: [(id: UInt64, hook: @Sendable () -> Void)] = []
    var running: (id: UInt64, thread: pthread_t)?
    var lastID: UInt64 = 0
  }

  private let flag = Atomic(false)
  let hooks = Monitor(Hooks())

  /// Makes a flag that is not set.
  public init() {}

  /// Whether `cancel` was called; one atomic load, so it may be asked for every chunk.
  public var isCancelled: Bool { flag.load(ordering: .acquiring) }

  /// Sets the flag and runs every hook once, on this thread, in the order they were added.
  ///
  /// Only the first call does anything; a second may return while the first still runs hooks.
  public func cancel() {
    let isFirst = hooks.withLock { hooks in
      defer { hooks.isCancelled = true }
      return !hooks.isCancelled
    }
    guard isFirst else { return }
    flag.store(true, ordering: .releasing)
    while let hook = nextHook() { hook() }
  }

  /// Adds something to run when the flag is set; at once, on this thread, if it already is.
  ///
  /// - Parameter hook: Called at most once; it should only wake someone, and must not block.
  /// - Returns: A way to take the hook away again; dropping it changes nothing.
  @discardableResult
  public func onCancel(_ hook: @escaping @Sendable () -> Void) -> CancellationHook {
    let id: UInt64? = hooks.withLock { hooks in
      guard !hooks.isCancelled else { return nil }
      hooks.lastID += 1
      hooks.waiting.append((hooks.lastID, hook))
      return hooks.lastID
    }
    if id == nil { hook() }
    return CancellationHook(flag: self, id: id)
  }

  /// Runs a body with a hook in place that is gone, and not running, when this returns.
  ///
  /// - Parameters:
  ///   - hook: As for `onCancel`; may touch what lives no longer than `body`.
  ///   - body: Runs on this thread.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws.
  public func withHook<R, E: Error>(
    _ hook: @escaping @Sendable () -> Void,
    during body: () throws(E) -> R
  ) throws(E) -> R {
    let token = onCancel(hook)
    defer { token.remove() }
    return try body()
  }

  private func nextHook() -> (@Sendable () -> Void)? {
    hooks.withLock { hooks in
      hooks.running = nil
      guard !hooks.waiting.isEmpty else { return nil }
      let next = hooks.waiting.removeFirst()
      hooks.running = (next.id, pthread_self())
      return next.hook
    }
  }

  fileprivate func remove(_ id: UInt64) {
    hooks.wait { hooks -> Void? in
      hooks.waiting.removeAll { $0.id == id }
      guard let running = hooks.running, running.id == id else { return () }
      // A hook that removes itself would wait for its own end.
      return pthread_equal(running.thread, pthread_self()) != 0 ? () : nil
    }
  }
}

/// Takes a hook away from its flag.
public struct CancellationHook: Sendable {
  fileprivate let flag: CancellationFlag
  fileprivate let id: UInt64?

  /// Takes the hook away; once this returns, it is not running and never will.
  ///
  /// Waits for a hook that runs on another thread at this moment. May be called again.
  public func remove() {
    if let id { flag.remove(id) }
  }
}
