// SPDX-License-Identifier: Apache-2.0
//
// TransferEvent in a transfer's log, and which events are worth remembering.

import Transfers

extension TransferEvent {
  /// The line for the log; nil for what is not worth one.
  var logText: String? {
    switch self {
    case .started: "started"
    case .answered(let answer): answer.logText
    case .relinked(let link): "the new link has the same file and stays: \(link.origin.host)"
    case .renamed(let name): "the name was taken, saved as \(name)"
    case .fellSilent: "no data"
    case .flowing: "data again"
    case .paused(.byUser): "paused"
    case .paused(.diskFull(let failure)): "paused: \(failure.logText)"
    case .paused(.scheduled(let hold)): hold.logText
    case .resumed: "resumed"
    case .retryScheduled(let wait):
      "try \(wait.attempt) of \(wait.limit) after \(wait.failure.logText)"
    case .retrying: nil
    case .restarted(let failure): "starting over: \(failure.logText)"
    case .completed: nil
    case .repairing(let algorithm): "\(algorithm.shown) differs, repairing: fetching it once more"
    case .finished(let completion): "finished, \(completion.verification.logText)"
    case .failed(let failure): "failed: \(failure.logText)"
    case .cancelled: "removed"
    }
  }

  /// Whether it is more than the plain course from the start to the end.
  var isNotable: Bool {
    switch self {
    case .started, .answered, .flowing, .completed, .finished, .retrying, .cancelled: false
    case .relinked, .renamed, .fellSilent, .paused, .resumed, .retryScheduled, .restarted,
      .repairing,
      .failed:
      true
    }
  }

  /// Whether the session should know soon; a retry or a silence does not survive a restart anyway,
  /// nor an answer of which nothing is on the disk yet.
  func isRemembered(withFile hasFile: Bool) -> Bool {
    switch self {
    case .answered: hasFile
    case .relinked, .renamed, .paused, .resumed, .restarted, .finished, .failed: true
    case .started, .fellSilent, .flowing, .retryScheduled, .retrying, .completed, .repairing,
      .cancelled:
      false
    }
  }
}

extension Hold {
  fileprivate var logText: String {
    switch reason {
    case .start: "waits for the time to start at"
    case .hours: "waits for the hours it may run in"
    case .quota: "the day's quota is used up; waits for tomorrow"
    }
  }
}

extension Answer {
  fileprivate var logText: String {
    let size = total.map { "\($0.bytes) bytes" } ?? "length unknown"
    return "answered: \(size), \(isResumable ? "ranges work" : "no ranges")"
  }
}

extension Failure {
  /// In a few words, with what is known beyond them.
  var logText: String {
    detail.isEmpty ? short : "\(short) (\(detail))"
  }
}

extension Verification {
  fileprivate var logText: String {
    switch self {
    case .checked(let algorithm): "\(algorithm.shown) agrees"
    case .lengthOnly: "length agrees"
    case .unverified: "not verifiable"
    }
  }
}
