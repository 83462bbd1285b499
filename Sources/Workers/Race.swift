// SPDX-License-Identifier: Apache-2.0
//
// Several blocking requests at once, of which the first success (or the first failure) decides.
// Every attempt is an operation with a thread of its own. As soon as one decides, the caller
// returns and the others are cancelled; what they bring later is dropped. Without a queue given,
// the race brings its own and joins it before it returns, so a loser that ignores its flag holds
// the caller up; with a queue given, losers end on that queue's threads, and its `shutdown` joins
// them.

/// How one attempt ended.
public enum Attempt<R: Sendable>: Sendable {
  /// What is tried: blocks its thread, and stops early once its flag is set.
  public typealias Body = @Sendable (CancellationFlag) -> Attempt<R>

  /// It passed the test that the attempt itself makes.
  case succeeded(R)
  /// It did not, for the reason given.
  case failed(any Error & Sendable)
  /// It gave up because its flag was set.
  case cancelled
}

/// An attempt that ended without having been tried, or because it was told to.
public struct AttemptCancelled: Error, Sendable, Equatable {}

/// How `firstToSucceed` ended.
public enum RaceOutcome<R: Sendable>: Sendable {
  /// The attempt at this position was the first to succeed.
  case succeeded(attempt: Int, R)
  /// None succeeded; the reasons in the order of the attempts.
  case allFailed([any Error & Sendable])
  /// The caller's flag was set before one succeeded.
  case cancelled
}

/// How `firstToFail` ended.
public enum TrialOutcome<R: Sendable>: Sendable {
  /// All succeeded; the results in the order of the attempts.
  case allSucceeded([R])
  /// The attempt at this position was the first to fail, or gave up unasked (`AttemptCancelled`).
  case failed(attempt: Int, any Error & Sendable)
  /// The caller's flag was set before all had succeeded.
  case cancelled
}

/// Tries several things at once and takes the first that succeeds.
///
/// Blocks until one succeeds, all have ended, or the caller's flag is set. An attempt that can be
/// blocked for long should put a hook on its flag (`CancellationFlag.withHook`) that wakes it.
///
/// - Parameters:
///   - attempts: What to try, each on its own thread with its own flag.
///   - flag: When set, everything is cancelled.
///   - queue: Runs the attempts, and must have room for all at once; never the caller's own.
///     Nil means a queue for this race alone, joined before this returns.
/// - Returns: The first success, or why there was none.
public func firstToSucceed<R: Sendable>(
  _ attempts: [Attempt<R>.Body],
  cancelledBy flag: CancellationFlag? = nil,
  on queue: BlockingOperationQueue? = nil
) -> RaceOutcome<R> {
  let ends = race(attempts, cancelledBy: flag, on: queue) { attempt in
    if case .succeeded = attempt { true } else { false }
  }
  switch ends {
  case .cancelled: return .cancelled
  case .decided(let position, .succeeded(let result)):
    return .succeeded(attempt: position, result)
  case .decided(_, .failed), .decided(_, .cancelled): return .cancelled
  case .all(let attempts): return .allFailed(attempts.compactMap(\.failure))
  }
}

/// Tries several things at once and stops at the first that fails.
///
/// Blocks until one fails, all have succeeded, or the caller's flag is set.
///
/// - Parameters:
///   - attempts: What to try, each on its own thread with its own flag.
///   - flag: When set, everything is cancelled.
///   - queue: As for `firstToSucceed`.
/// - Returns: The first failure, or every result.
public func firstToFail<R: Sendable>(
  _ attempts: [Attempt<R>.Body],
  cancelledBy flag: CancellationFlag? = nil,
  on queue: BlockingOperationQueue? = nil
) -> TrialOutcome<R> {
  let ends = race(attempts, cancelledBy: flag, on: queue) { $0.failure != nil }
  switch ends {
  case .cancelled: return .cancelled
  case .decided(let position, let attempt):
    return .failed(attempt: position, attempt.failure ?? AttemptCancelled())
  case .all(let attempts): return .allSucceeded(attempts.compactMap(\.success))
  }
}

extension Attempt {
  fileprivate var success: R? {
    switch self {
    case .succeeded(let result): result
    case .failed, .cancelled: nil
    }
  }

  fileprivate var failure: (any Error & Sendable)? {
    switch self {
    case .succeeded: nil
    case .failed(let error): error
    case .cancelled: AttemptCancelled()
    }
  }
}
