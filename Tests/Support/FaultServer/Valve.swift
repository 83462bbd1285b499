// SPDX-License-Identifier: Apache-2.0
//
// Waiting without a clock: a gate for several threads, and a valve for bytes built on it.

import Glibc

// Safety: the state is only touched between lock and unlock of its own pthread mutex.
final class Gate<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State

  init(_ state: State) {
    self.state = state
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(condition, nil)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Reads or changes the state and wakes whoever waits.
  func update<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(condition)
      pthread_mutex_unlock(mutex)
    }
    return body(&state)
  }

  /// Waits until the closure gives something; nil after the deadline.
  func wait<Result>(seconds: Int = 60, for body: (inout State) -> Result?) -> Result? {
    var deadline = timespec()
    clock_gettime(CLOCK_REALTIME, &deadline)
    deadline.tv_sec += seconds
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = body(&state) { return result }
      if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&state) }
    }
  }
}

/// Lets as many bytes through as the test allows.
public final class Valve: Sendable {
  private let allowed: Gate<Int64>

  /// Lets `bytes` through before the first stop.
  public init(bytes: Int64 = 0) {
    allowed = Gate(bytes)
  }

  /// Lets more bytes through.
  public func allow(_ bytes: Int64) {
    allowed.update { $0 = $0 > .max - bytes ? .max : $0 + bytes }
  }

  /// Lets everything through from now on.
  public func open() {
    allowed.update { $0 = .max }
  }

  /// Whether nothing more is let through for now.
  public var isShut: Bool { allowed.update { $0 == 0 } }

  /// Waits for at least one byte to be allowed; takes up to `count` of them.
  func take(upTo count: Int64) -> Int64 {
    let taken = allowed.wait(seconds: 600) { allowed -> Int64? in
      guard allowed > 0 else { return nil }
      if allowed == .max { return count }
      let taken = min(allowed, count)
      allowed -= taken
      return taken
    }
    return taken ?? 0
  }
}

/// Starts a detached thread.
func startThread(_ body: @escaping @Sendable () -> Void) {
  final class Box: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var thread = pthread_t()
  let context = Unmanaged.passRetained(Box(body)).toOpaque()
  let code = pthread_create(
    &thread,
    nil,
    { context in
      guard let context else { return nil }
      Unmanaged<Box>.fromOpaque(context).takeRetainedValue().body()
      return nil
    },
    context
  )
  precondition(code == 0, "no thread for the fault server")
  pthread_detach(thread)
}
