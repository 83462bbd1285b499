// SPDX-License-Identifier: Apache-2.0
//
// StoredState: a transfer's state as columns.
//
// Holds    one code a state. What a worker was doing when the program ended is stored as it was,
//          for whoever looks into the file, and comes back as queued.
// Never    renames a code that has been released.

internal import Transfers

/// The columns of a state.
struct StoredState: Equatable {
  var code: Code
  var failure: Failure?
  var finishedAt: WallTime?
  var verification: String?

  /// What stands in the column.
  enum Code: String, CaseIterable {
    case queued, connecting, downloading, stalled, waiting, verifying
    case paused, finished, failed, cancelled
    case pausedForSpace = "paused-for-space"
    /// It is looked at anew when the program starts.
    case scheduled
  }

  init(
    code: Code,
    failure: Failure? = nil,
    finishedAt: WallTime? = nil,
    verification: String? = nil
  ) {
    self.code = code
    self.failure = failure
    self.finishedAt = finishedAt
    self.verification = verification
  }

  init(_ state: TransferState) {
    switch state {
    case .queued: self.init(code: .queued)
    case .connecting: self.init(code: .connecting)
    case .downloading: self.init(code: .downloading)
    case .stalled: self.init(code: .stalled)
    case .verifying: self.init(code: .verifying)
    case .cancelled: self.init(code: .cancelled)
    case .paused(.byUser): self.init(code: .paused)
    case .paused(.diskFull(let failure)): self.init(code: .pausedForSpace, failure: failure)
    case .paused(.scheduled): self.init(code: .scheduled)
    case .waitingForRetry(let wait): self.init(code: .waiting, failure: wait.failure)
    case .failed(let failure): self.init(code: .failed, failure: failure)
    case .finished(let completion):
      self.init(
        code: .finished,
        finishedAt: completion.at,
        verification: Self.text(completion.verification)
      )
    }
  }

  /// The state to begin with; nil when a column that belongs to it is missing or unknown.
  var state: TransferState? {
    switch code {
    case .queued, .connecting, .downloading, .stalled, .waiting, .verifying, .scheduled: .queued
    case .paused: .paused(.byUser)
    case .pausedForSpace: failure.map { .paused(.diskFull($0)) }
    case .failed: failure.map { .failed($0) }
    case .cancelled: .cancelled
    case .finished: completion.map { .finished($0) }
    }
  }

  private var completion: Completion? {
    guard let finishedAt, let verification = verification.flatMap(Self.verification)
    else { return nil }
    return Completion(at: finishedAt, verification: verification)
  }

  private static func text(_ verification: Verification) -> String {
    switch verification {
    case .checked(let algorithm): algorithm.rawValue
    case .lengthOnly: "length"
    case .unverified: "none"
    }
  }

  private static func verification(_ text: String) -> Verification? {
    switch text {
    case "length": .lengthOnly
    case "none": .unverified
    default: ChecksumAlgorithm(rawValue: text).map { .checked($0) }
    }
  }
}
