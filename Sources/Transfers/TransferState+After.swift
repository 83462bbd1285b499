// SPDX-License-Identifier: Apache-2.0
//
// The transition table: the state after an event, for every pair.
//
// Holds    no `default` over states: a new one does not compile until each event is thought about.

extension TransferState {
  /// The state that follows, or nil when the event is illegal here.
  func after(_ event: TransferEvent) -> TransferState? {
    switch event {
    case .started: when(queued: .connecting)
    case .answered: afterAnswer
    case .relinked, .renamed: whileRunning(self)
    case .fellSilent: afterSilence
    case .flowing: afterBytes
    case .paused(let reason): afterPause(reason)
    case .resumed: afterResume
    case .retryScheduled(let wait): whileRunning(.waitingForRetry(wait))
    case .retrying: afterWaiting
    case .restarted: whileRunning(.connecting)
    case .completed: whileRunning(.verifying)
    case .repairing: afterVerifying(.downloading)
    case .finished(let completion): afterVerifying(.finished(completion))
    case .failed(let failure): afterFailure(failure)
    case .cancelled: afterCancel
    }
  }

  private func when(queued next: TransferState) -> TransferState? {
    switch self {
    case .queued: next
    case .connecting, .downloading, .stalled, .paused, .waitingForRetry, .verifying, .finished,
      .failed, .cancelled:
      nil
    }
  }

  /// A worker is fetching: these states may pass into one another freely.
  private func whileRunning(_ next: TransferState) -> TransferState? {
    switch self {
    case .connecting, .downloading, .stalled, .waitingForRetry, .verifying: next
    case .queued, .paused, .finished, .failed, .cancelled: nil
    }
  }

  private var afterAnswer: TransferState? {
    switch self {
    case .connecting, .downloading, .stalled, .waitingForRetry: .downloading
    case .queued, .paused, .verifying, .finished, .failed, .cancelled: nil
    }
  }

  private var afterSilence: TransferState? {
    switch self {
    case .connecting, .downloading, .stalled: .stalled
    case .queued, .paused, .waitingForRetry, .verifying, .finished, .failed, .cancelled: nil
    }
  }

  private var afterBytes: TransferState? {
    switch self {
    case .stalled, .downloading: .downloading
    case .queued, .connecting, .paused, .waitingForRetry, .verifying, .finished, .failed,
      .cancelled:
      nil
    }
  }

  private var afterWaiting: TransferState? {
    switch self {
    case .waitingForRetry: .connecting
    case .queued, .connecting, .downloading, .stalled, .paused, .verifying, .finished, .failed,
      .cancelled:
      nil
    }
  }

  /// The user's pause outlasts a full disk and a schedule, which would end by themselves.
  private func afterPause(_ reason: PauseReason) -> TransferState? {
    switch self {
    case .paused(.byUser): self
    case .queued, .connecting, .downloading, .stalled, .waitingForRetry, .paused(.diskFull),
      .paused(.scheduled):
      .paused(reason)
    case .verifying, .finished, .failed, .cancelled: nil
    }
  }

  private var afterResume: TransferState? {
    switch self {
    case .paused, .failed: .queued
    case .queued, .connecting, .downloading, .stalled, .waitingForRetry, .verifying, .finished,
      .cancelled:
      nil
    }
  }

  private func afterVerifying(_ next: TransferState) -> TransferState? {
    switch self {
    case .verifying: next
    case .queued, .connecting, .downloading, .stalled, .paused, .waitingForRetry, .finished,
      .failed, .cancelled:
      nil
    }
  }

  private func afterFailure(_ failure: Failure) -> TransferState? {
    switch self {
    case .queued, .connecting, .downloading, .stalled, .waitingForRetry, .verifying:
      .failed(failure)
    case .paused, .finished, .failed, .cancelled: nil
    }
  }

  private var afterCancel: TransferState? {
    switch self {
    case .queued, .connecting, .downloading, .stalled, .paused, .waitingForRetry, .verifying,
      .failed, .finished:
      .cancelled
    case .cancelled: nil
    }
  }
}
