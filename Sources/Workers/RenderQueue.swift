// SPDX-License-Identifier: Apache-2.0
//
// The single queue on which everything that touches the screen runs: the main dispatch queue.
// Owns the keys that are marked as changed and not delivered yet. Any thread may post; what is
// posted runs on the main queue, as the main actor, one after the other, in the order posted.
// Posting never blocks: a screen that is stuck or slow never holds a worker up. Someone must
// service the main queue (`dispatchMain`).

// Dispatch does not say on Linux that its sources, which are thread-safe, are Sendable.
@preconcurrency internal import Dispatch

/// Brings what happens elsewhere to the main queue.
public final class RenderQueue<Key: Hashable & Sendable>: Sendable {
  /// What the main actor is asked to do.
  public typealias Work = @MainActor @Sendable () -> Void

  @usableFromInline
  struct Marked: Sendable {
    @usableFromInline var keys: [Key] = []
    @usableFromInline var known: Set<Key> = []

    /// Whether it is the first that is marked.
    @inlinable
    mutating func mark(_ key: Key) -> Bool {
      guard known.insert(key).inserted else { return false }
      keys.append(key)
      return keys.count == 1
    }
  }

  @usableFromInline let marked = Monitor(Marked())
  private let gathering: Duration
  private let deliver: @MainActor @Sendable ([Key]) -> Void

  /// Makes a queue in front of the main queue.
  ///
  /// - Parameters:
  ///   - gathering: How long keys wait for more of them after the first, so that a flood of changes
  ///     wakes the main queue a few times a second and not thousands; zero for not at all.
  ///   - deliver: Called on the main queue with the keys posted since it was last called, each
  ///     once, in the order they were first posted; never with none.
  public init(
    gathering: Duration = .zero,
    deliver: @escaping @MainActor @Sendable ([Key]) -> Void
  ) {
    self.gathering = gathering
    self.deliver = deliver
  }

  /// Marks something as changed; one already marked and not delivered is not posted again.
  ///
  /// - Parameter key: What has changed.
  @inlinable
  public func post(_ key: Key) {
    if marked.withLock({ $0.mark(key) }) { wake() }
  }

  @usableFromInline
  func wake() {
    DispatchQueue.main.asyncAfter(deadline: .now() + gathering.dispatchInterval) {
      MainActor.assumeIsolated { self.deliverMarked() }
    }
  }

  /// Runs something on the main queue, after what was posted before.
  ///
  /// - Parameter work: Called once.
  public func post(_ work: @escaping Work) {
    DispatchQueue.main.async {
      MainActor.assumeIsolated {
        self.deliverMarked()
        work()
      }
    }
  }

  @MainActor
  private func deliverMarked() {
    let keys = marked.withLock { marked in
      defer { marked = Marked() }
      return marked.keys
    }
    if !keys.isEmpty { deliver(keys) }
  }
}

// MARK: - Time

extension RenderQueue {
  /// Runs something on the main queue once a time has passed.
  ///
  /// - Parameters:
  ///   - delay: On the monotonic clock; not positive means as soon as possible.
  ///   - work: Called once, unless the source is cancelled or let go first.
  /// - Returns: What keeps the timer going.
  public func afterDelay(_ delay: Duration, _ work: @escaping Work) -> RenderSource {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    timer.schedule(deadline: .now() + delay.dispatchInterval)
    return RenderSource(timer, handler: work)
  }

  /// Runs something on the main queue again and again, the first time after one interval.
  ///
  /// Ticks that the main queue was too busy for are not made up for.
  ///
  /// - Parameters:
  ///   - interval: Between two calls, on the monotonic clock; at least one millisecond.
  ///   - leeway: How late a call may be, so that the system can wake up for several at once.
  ///   - work: Called at every tick until the source is cancelled or let go.
  /// - Returns: What keeps the timer going.
  public func every(
    _ interval: Duration,
    leeway: Duration = .zero,
    _ work: @escaping Work
  ) -> RenderSource {
    let timer = DispatchSource.makeTimerSource(queue: .main)
    let repeating = max(interval, .milliseconds(1)).dispatchInterval
    timer.schedule(
      deadline: .now() + repeating,
      repeating: repeating,
      leeway: leeway.dispatchInterval
    )
    return RenderSource(timer, handler: work)
  }
}

// MARK: - Descriptors and signals

extension RenderQueue {
  /// Runs something on the main queue whenever a descriptor can be read or has come to its end.
  ///
  /// - Parameters:
  ///   - descriptor: Open, and kept open until `onCancelled` has been called.
  ///   - onCancelled: Called once on the main queue when the descriptor is no longer watched.
  ///   - work: Must read, or it is called again at once.
  /// - Returns: What keeps watching.
  public func onReadable(
    _ descriptor: Int32,
    onCancelled: @escaping Work = {},
    _ work: @escaping Work
  ) -> RenderSource {
    let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .main)
    return RenderSource(source, onCancelled: onCancelled, handler: work)
  }

  /// Runs something on the main queue when a signal has come, instead of what it does by default.
  ///
  /// From the moment this returns none is lost; the kernel may tell several that come close together
  /// as one. The default action stays off when the source is let go, and an inherited "ignored" is
  /// replaced.
  ///
  /// - Parameters:
  ///   - number: Such as SIGTERM; not SIGKILL, SIGSTOP, or one that a fault raises.
  ///   - work: Called after the signal has come, at no moment special to signals.
  /// - Returns: What keeps watching.
  public func onSignal(_ number: Int32, _ work: @escaping Work) -> RenderSource {
    SignalPipe.shared.add(number, work)
  }
}
