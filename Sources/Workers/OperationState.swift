// SPDX-License-Identifier: Apache-2.0
//
// The values by which an operation speaks: who it is, what state it is in, how its body ended,
// why it was cancelled, and why a queue would not take it. Nothing here has a thread or a lock.

internal import Synchronization

/// Names one operation for the life of the process.
public struct OperationID: Hashable, Sendable, CustomStringConvertible {
  private let number: Int

  private static let last = Atomic(0)

  static func next() -> OperationID {
    OperationID(number: last.add(1, ordering: .relaxed).newValue)
  }

  /// The number it was given, counted from one.
  public var description: String { "\(number)" }
}

/// Where an operation is between being made and having ended.
///
/// `ready` comes first, `executing` at most once after it, then exactly one of the three ends.
public enum OperationState: Sendable {
  /// Made, and not begun: not added yet, waiting for others, or waiting for a thread.
  case ready
  /// Its body runs.
  case executing
  /// Its body succeeded.
  case finished
  /// Its body failed, or no thread could be started for it (`ThreadError`).
  case failed(any Error & Sendable)
  /// It was cancelled before its body ran, or its body said that it gave up.
  case cancelled(CancelReason)

  /// How the operation ended, or nil while it has not.
  public var result: OperationResult? {
    switch self {
    case .ready, .executing: nil
    case .finished: .succeeded
    case .failed(let error): .failed(error)
    case .cancelled: .cancelled
    }
  }

  /// Whether the operation has ended, in whichever way.
  public var hasEnded: Bool { result != nil }
}

/// How a body ended.
public enum OperationResult: Sendable {
  /// The work is done, even if a wish to cancel came meanwhile.
  case succeeded
  /// The work could not be done.
  case failed(any Error & Sendable)
  /// The body gave up because it was asked to.
  case cancelled
}

/// Why an operation was cancelled; the first reason stays.
public enum CancelReason: Sendable {
  /// `cancel` was called on it, or `cancelAll` on its queue.
  case requested
  /// Its queue was shut down.
  case queueShutDown
  /// Its body returned `.cancelled` without having been asked.
  case givenUp
  /// What it depends on failed; the operation named is the one that failed, however far away.
  case dependencyFailed(OperationID, name: String, any Error & Sendable)
  /// What it depends on was cancelled; the operation named is the one cancelled first.
  case dependencyCancelled(OperationID, name: String)
}

/// Why a queue did not take an operation; nothing has changed then.
public enum QueueError: Error, Sendable, Equatable {
  /// The operation would wait for itself, directly or through others.
  case cycle
  /// The operation was added before, to this queue or another.
  case alreadyAdded
  /// The queue was shut down.
  case closed
}
