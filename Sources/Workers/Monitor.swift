// SPDX-License-Identifier: Apache-2.0
//
// A value behind a mutex, with a way to wait for it to change (Hansen and Hoare's monitor).
// Owns one pthread mutex and one condition variable on the monotonic clock, so that setting the
// wall clock never lengthens or shortens a wait. Any thread may call it. It never runs anything
// but the caller's own closure under the lock; what that closure decides is acted upon outside.
// The one lock of the program: `Mutex` of the standard library cannot wait, and on Linux the thread
// sanitizer does not see it, so that what it guards is reported as a race.

// Inlinable, so that other targets get code for the one type they keep in it: generic code would
// ask for that type's metadata at every call, a tenth of what a small file costs.

public import Glibc

// Safety: `storage` is allocated once and freed in `deinit`; `state` and `waiters` are touched
// only between `lock` and `unlock` of the mutex beside them. `init` takes the state by
// `sending`, and bodies get it by `inout sending`, so nobody else keeps a way to it.

/// A value that several threads share, and whose changes they can wait for.
///
/// Closures run under the lock: keep them short, and never block, call back or take another lock
/// in one.
public final class Monitor<State>: @unchecked Sendable {
  @usableFromInline
  struct Storage {
    @usableFromInline var mutex = pthread_mutex_t()
    @usableFromInline var changed = pthread_cond_t()
    @usableFromInline var waiters = 0
    @usableFromInline var state: State

    @usableFromInline
    init(_ state: consuming sending State) {
      self.state = state
    }
  }

  @usableFromInline let storage: UnsafeMutablePointer<Storage>

  /// Puts a value behind a new lock.
  ///
  /// - Parameter state: The first value; nobody else may keep a reference into it.
  @inlinable
  public init(_ state: sending State) {
    storage = .allocate(capacity: 1)
    storage.initialize(to: Storage(state))
    prepare(&storage.pointee.mutex, &storage.pointee.changed)
  }

  @inlinable
  deinit {
    pthread_cond_destroy(&storage.pointee.changed)
    pthread_mutex_destroy(&storage.pointee.mutex)
    storage.deinitialize(count: 1)
    storage.deallocate()
  }

  /// Reads or changes the value, then wakes everyone who waits for a change.
  ///
  /// Costs an uncontended lock; the wake-up is skipped while nobody waits.
  ///
  /// - Parameter body: Runs under the lock, once.
  /// - Returns: What `body` returns.
  /// - Throws: What `body` throws; the lock is given back and waiters are woken all the same.
  @inlinable
  public func withLock<R, E: Error>(
    _ body: (inout sending State) throws(E) -> sending R
  ) throws(E) -> sending R {
    lock()
    defer { unlock() }
    return try body(&storage.pointee.state)
  }

  /// Looks at the value, and wakes nobody.
  ///
  /// - Parameter body: Runs under the lock, once.
  /// - Returns: What `body` returns.
  @inlinable
  public func read<R>(_ body: (borrowing State) -> sending R) -> sending R {
    lock()
    defer { pthread_mutex_unlock(&storage.pointee.mutex) }
    return body(storage.pointee.state)
  }

  /// Blocks until a condition on the value holds.
  ///
  /// - Parameter condition: Runs under the lock now and after every change; returns nil to go on
  ///   waiting, and must then have changed nothing. It may change the value when it holds.
  /// - Returns: What `condition` returned.
  @inlinable
  public func wait<R>(until condition: (inout State) -> R?) -> R {
    lock()
    defer { unlock() }
    while true {
      if let result = condition(&storage.pointee.state) { return result }
      storage.pointee.waiters += 1
      pthread_cond_wait(&storage.pointee.changed, &storage.pointee.mutex)
      storage.pointee.waiters -= 1
    }
  }

  /// Blocks until a condition on the value holds, or for a given time.
  ///
  /// - Parameters:
  ///   - duration: How long to wait at most on the monotonic clock; not positive means only look.
  ///   - condition: As for `wait(until:)`; looked at once more when the time is up.
  /// - Returns: What `condition` returned, or nil when the time was up first.
  @inlinable
  public func wait<R>(for duration: Duration, until condition: (inout State) -> R?) -> R? {
    var deadline = timespec(monotonicAfter: duration)
    lock()
    defer { unlock() }
    var isOver = duration <= .zero
    while true {
      if let result = condition(&storage.pointee.state) { return result }
      if isOver { return nil }
      storage.pointee.waiters += 1
      let code = pthread_cond_timedwait(
        &storage.pointee.changed,
        &storage.pointee.mutex,
        &deadline
      )
      storage.pointee.waiters -= 1
      isOver = code == ETIMEDOUT
    }
  }

  /// How many threads wait for a change at this moment.
  var waiterCount: Int {
    lock()
    defer { unlock() }
    return storage.pointee.waiters
  }

  @inlinable
  func lock() {
    pthread_mutex_lock(&storage.pointee.mutex)
  }

  @inlinable
  func unlock() {
    if storage.pointee.waiters > 0 { pthread_cond_broadcast(&storage.pointee.changed) }
    pthread_mutex_unlock(&storage.pointee.mutex)
  }
}

/// Sets up a mutex, and a condition variable on the monotonic clock.
@usableFromInline
func prepare(_ mutex: inout pthread_mutex_t, _ changed: inout pthread_cond_t) {
  pthread_mutex_init(&mutex, nil)
  var attributes = pthread_condattr_t()
  pthread_condattr_init(&attributes)
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
  pthread_cond_init(&changed, &attributes)
  pthread_condattr_destroy(&attributes)
}

extension timespec {
  /// The moment on CLOCK_MONOTONIC that lies a duration ahead; a century is as good as never.
  @usableFromInline
  init(monotonicAfter duration: Duration) {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    let capped = min(max(duration, .zero), .seconds(3_153_600_000)).components
    let nanoseconds = now.tv_nsec + Int(capped.attoseconds / 1_000_000_000)
    self.init(
      tv_sec: now.tv_sec + Int(capped.seconds) + nanoseconds / 1_000_000_000,
      tv_nsec: nanoseconds % 1_000_000_000
    )
  }
}
