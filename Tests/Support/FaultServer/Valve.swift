// SPDX-License-Identifier: Apache-2.0
//
// A valve for bytes: waiting without a clock.

import Glibc
import Workers

/// Lets as many bytes through as the test allows.
public final class Valve: Sendable {
  private let allowed: Monitor<Int64>

  /// Lets `bytes` through before the first stop.
  public init(bytes: Int64 = 0) {
    allowed = Monitor(bytes)
  }

  /// Lets more bytes through.
  public func allow(_ bytes: Int64) {
    allowed.withLock { $0 = $0 > .max - bytes ? .max : $0 + bytes }
  }

  /// Lets everything through from now on.
  public func open() {
    allowed.withLock { $0 = .max }
  }

  /// Whether nothing more is let through for now.
  public var isShut: Bool { allowed.withLock { $0 == 0 } }

  /// Waits for at least one byte to be allowed; takes up to `count` of them.
  func take(upTo count: Int64) -> Int64 {
    let taken = allowed.wait(for: .seconds(600)) { allowed -> Int64? in
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
