// SPDX-License-Identifier: Apache-2.0
//
// TransferState: the ten states of a transfer with what belongs to each.
//
//   queued ─► connecting ─► downloading ◄─► stalled
//     ▲           │  ▲           │             │
//     │           ▼  │           ▼             │
//     │      waitingForRetry ◄───┼─────────────┘
//     │                          ▼
//     │                      verifying ─► finished
//     └── paused, failed (resumed by the user)      cancelled (from anywhere)
//
// Holds    only what is true now; history belongs to the log.
// Never    is changed but by `Transfer.apply`.

/// Where a transfer stands.
public enum TransferState: Hashable, Sendable {
  /// Waiting for its turn.
  case queued
  /// A worker has it; no byte has come in this attempt.
  case connecting
  /// Bytes arrive.
  case downloading
  /// Connected, but no byte for a while.
  case stalled
  /// Stands still until resumed.
  case paused(PauseReason)
  /// Waits before it tries again.
  case waitingForRetry(RetryWait)
  /// All bytes are there; the digest is being compared.
  case verifying
  /// The file is complete under its final name.
  case finished(Completion)
  /// Given up until the user acts.
  case failed(Failure)
  /// Taken off the list.
  case cancelled
}

/// Why a transfer is paused.
public enum PauseReason: Hashable, Sendable {
  /// The user said so.
  case byUser
  /// The disk has no room; goes on by itself when there is.
  case diskFull(Failure)
  /// It is not its time; goes on by itself when it is.
  case scheduled(Hold)
}

/// A pause between two tries.
public struct RetryWait: Hashable, Sendable {
  /// What went wrong.
  public let failure: Failure
  /// The number of the try that comes next, from 2.
  public let attempt: Int
  /// How many tries without progress are allowed.
  public let limit: Int
  /// When the next try begins.
  public let until: Moment

  /// Makes a wait.
  public init(failure: Failure, attempt: Int, limit: Int, until: Moment) {
    self.failure = failure
    self.attempt = attempt
    self.limit = limit
    self.until = until
  }
}

/// How a finished transfer was checked.
public enum Verification: Hashable, Sendable {
  /// The digest agreed.
  case checked(ChecksumAlgorithm)
  /// The length agreed; no digest was known.
  case lengthOnly
  /// The server gave no length, so nothing could be compared.
  case unverified
}

/// The end of a transfer that arrived.
public struct Completion: Hashable, Sendable {
  /// When.
  public let at: WallTime
  /// How it was checked.
  public let verification: Verification

  /// Makes a completion.
  public init(at: WallTime, verification: Verification) {
    self.at = at
    self.verification = verification
  }
}

extension TransferState {
  /// Whether a worker is on it or waits for its next try.
  public var isActive: Bool {
    switch self {
    case .connecting, .downloading, .stalled, .waitingForRetry, .verifying: true
    case .queued, .paused, .finished, .failed, .cancelled: false
    }
  }

  /// Whether the file is complete under its final name.
  public var isFinished: Bool {
    if case .finished = self { true } else { false }
  }

  /// Whether nothing more happens unless the user acts.
  public var isEnded: Bool {
    switch self {
    case .finished, .failed, .cancelled: true
    case .queued, .connecting, .downloading, .stalled, .paused, .waitingForRetry, .verifying: false
    }
  }
}
