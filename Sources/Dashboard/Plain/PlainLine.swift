// SPDX-License-Identifier: Apache-2.0
//
// PlainLine: one line about one transfer that has just changed its state.
//
// Holds    nothing from outside that has not passed the sanitiser.

import Frames
import Transfers

/// A transfer about which a line is to be said.
struct PlainLine {
  private let transfer: Transfer
  private static let shortestTimed = Duration.milliseconds(50)
  private let took: Duration
  private let kept: ByteCount
  private let local: LocalClock

  /// Makes the line's subject: how long it took, and how much of it an earlier run had brought.
  init(_ transfer: Transfer, took: Duration, kept: ByteCount, local: @escaping LocalClock) {
    self.transfer = transfer
    self.took = took
    self.kept = kept
    self.local = local
  }

  /// Whether a state means that the file has not arrived and nobody is at it.
  static func isFailure(_ state: TransferState) -> Bool {
    switch state {
    case .failed, .paused(.byUser), .paused(.diskFull): true
    case .queued, .paused(.scheduled), .connecting, .downloading, .stalled, .waitingForRetry,
      .verifying, .finished,
      .cancelled:
      false
    }
  }

  /// The line, or nil for a change that is not worth one.
  func text(after before: TransferState?) -> String? {
    switch transfer.state {
    case .downloading: startLine(before)
    case .stalled: "stalled \(name)  no data"
    case .waitingForRetry(let wait): retryLine(wait)
    case .finished(let completion): doneLine(completion)
    case .failed(let failure): failureLine("failed ", failure)
    case .paused(.diskFull(let failure)): failureLine("paused ", failure)
    case .paused(.byUser): "paused  \(name)"
    case .paused(.scheduled(let hold)): "waits   \(name)  \(hold.told(local, nil))"
    case .cancelled: "removed \(name)"
    case .queued, .connecting, .verifying: nil
    }
  }

  private var name: String { Sanitizer.shown(transfer.name) }

  private func startLine(_ before: TransferState?) -> String? {
    if case .stalled? = before { return nil }
    let size = transfer.total.map(Figures.size) ?? "unknown size"
    let host = Sanitizer.shown(transfer.request.link.origin.host)
    let risk = transfer.request.trust == .anything ? "  certificate not checked" : ""
    return "start   \(name)  \(size)  \(host)\(risk)"
  }

  private func retryLine(_ wait: RetryWait) -> String {
    "retry   \(name)  \(wait.failure.short), try \(wait.attempt) of \(wait.limit)"
  }

  private func doneLine(_ completion: Completion) -> String {
    let seconds = max(took, Self.shortestTimed).inSeconds
    let brought = transfer.received - kept
    let rate = ByteRate(Int64(Double(brought.bytes) / seconds))
    let size = Figures.size(transfer.received)
    let amount = kept.bytes == 0 ? size : "\(size) (\(Figures.size(brought)) now)"
    let time = "\(amount) in \(Figures.clock(took))"
    // What begins and ends between two looks has no speed that anybody knows.
    let speed = took < Self.shortestTimed ? time : "\(time), \(Figures.rate(rate))"
    return "done    \(name)  \(speed), \(Self.words(completion.verification))"
  }

  private func failureLine(_ word: String, _ failure: Failure) -> String {
    let detail = failure.detail.isEmpty ? "" : " (\(Sanitizer.shown(failure.detail)))"
    return "\(word) \(name)  \(failure.short)\(detail): \(failure.advice)"
  }

  private static func words(_ verification: Verification) -> String {
    switch verification {
    case .checked(let algorithm): "\(algorithm.shown) ok"
    case .lengthOnly: "length ok"
    case .unverified: "not verifiable"
    }
  }
}
