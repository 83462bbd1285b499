// SPDX-License-Identifier: Apache-2.0
//
// Holds one timer, descriptor or signal that the main queue watches. Owns the dispatch source:
// cancelled when asked or when let go. Its handlers run on the main queue, as the main actor.
// Never calls a handler after `cancel` when that was called on the main queue.

// Dispatch does not say on Linux that its sources, which are thread-safe, are Sendable.
@preconcurrency internal import Dispatch

/// Keeps something watched by the main queue for as long as it is held.
public final class RenderSource: Sendable {
  private let stop: @Sendable () -> Void

  init(
    _ source: sending any DispatchSourceProtocol,
    onCancelled: @escaping @MainActor @Sendable () -> Void = {},
    handler: @escaping @MainActor @Sendable () -> Void
  ) {
    source.setEventHandler { MainActor.assumeIsolated(handler) }
    source.setCancelHandler { MainActor.assumeIsolated(onCancelled) }
    source.activate()
    let held = Monitor(source)
    stop = { held.withLock { $0.cancel() } }
  }

  /// Holds something that is not a dispatch source.
  init(stop: @escaping @Sendable () -> Void) {
    self.stop = stop
  }

  deinit {
    stop()
  }

  /// Stops watching; may be called again.
  public func cancel() {
    stop()
  }
}

extension Duration {
  /// In whole nanoseconds, within a century either way.
  var dispatchInterval: DispatchTimeInterval {
    let century = Duration.seconds(3_153_600_000)
    let (seconds, attoseconds) = min(max(self, .zero), century).components
    return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
  }
}
