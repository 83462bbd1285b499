// SPDX-License-Identifier: Apache-2.0
//
// RunCore, when the lead has no ranges and another source may have them.
//
// Rules    The stream is one segment from the front; it is kept as long as it brings bytes. Beside it
//          one connection compares the others; the first that agrees makes it a file of ranges, and
//          the rest is taken from the end of the stream's segment. A stream cannot be asked for a
//          part: when it is over, its source is set aside, and what is missing comes from the others.
//          When none of them has the file, the stream begins again.

import Connections
import Transfers

extension RunCore {
  /// The length of a stream that tells one, or that a list tells where a digest will find out whether it
  /// was right: the end of a stream that others help is never seen.
  mutating func lengthOfStream(_ told: Int64?) -> Int64? {
    isLengthListed = false
    guard told == nil, expected != nil, let size = request.size?.bytes, size >= Self.leastForMore
    else { return told }
    isLengthListed = true
    return size
  }

  /// Whether a worker fetches a file from a source without ranges.
  func isStream(_ number: Int) -> Bool {
    live[number].map { sources[$0.source].isStream } == true
  }

  /// Whether a source beside the stream may turn out to have ranges.
  var mayFindRanges: Bool {
    !plan.isRanged && !isSingle && plan.total != nil && ceiling > 1
      && usable.contains { !sources[$0].isStream }
  }

  /// A source has shown that it has the stream's file, and parts of it.
  mutating func findRanges(at source: Int) -> [TransferEvent] {
    guard !plan.isRanged, sources[source].isProven, let known = answer else { return [] }
    plan.isRanged = true
    let found = Answer(
      name: known.name,
      total: plan.total.map { ByteCount($0) },
      validators: sources[source].validators,
      isResumable: true,
      source: sources[source].link.text,
      announced: toRemember
    )
    answer = found
    allowed = max(allowed, connectionsToBegin())
    return [.answered(found)]
  }

  /// Takes the end of a stream that has not brought everything; nil when that is to be judged like
  /// any other, because it is over before its first byte, or nobody else could go on.
  mutating func endStream(_ job: Job, _ outcome: FetchOutcome, isShort: Bool) -> Aftermath? {
    guard sources[job.source].isStream, plan.total != nil, !plan.have.isEmpty, !plan.isComplete,
      ending == nil
    else { return nil }
    switch outcome {
    case .agreed, .refused: return nil
    case .failed(let failure, _) where failure.isLocal: return nil
    case .ended, .stopped, .failed:
      let failure = Failure(.wrongRange, detail: "it has no ranges, and its stream is over")
      return setAside(job.source, failure) ?? endBefore(listed: isShort, outcome)
    }
  }

  /// A stream that tells no length and ends in order has its end there, whatever a list says.
  private mutating func endBefore(listed isShort: Bool, _ outcome: FetchOutcome) -> Aftermath? {
    guard case .ended = outcome, isShort, isLengthListed, let total = plan.total else { return nil }
    let detail = "\(plan.have.count) bytes where the list says \(total)"
    return stop(Failure(.notTheFile, detail: detail))
  }

  /// When the last source of ranges is gone, a stream that was begun may begin again.
  mutating func returnToStream(_ failure: Failure, _ now: Moment) -> Aftermath? {
    guard sources.contains(where: { $0.isStream && !$0.isUsable }) else { return nil }
    return restart(failure, now)
  }
}
