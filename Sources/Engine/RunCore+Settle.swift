// SPDX-License-Identifier: Apache-2.0
//
// RunCore, after an exchange: what its end means for the run.
//
// Rules    A refused extra connection means fewer connections, not a failure. Answers that do not
//          fit give their range back to the connection it was taken from; when nobody is left to
//          take it, everything begins again, then on one connection. Faults that can pass are
//          tried again with growing pauses, without limit while bytes still come. A wait is told by
//          worker 0 when it finds nothing to do (RunCore+Waiting), never here.

import Connections
import Transfers

/// How an exchange ended.
enum FetchOutcome {
  /// All that was asked for came, or a stream without a length ended.
  case ended
  /// A block was compared and is equal; the validators of the answer.
  case agreed(Validators)
  /// The head was not accepted.
  case refused(AnswerVerdict)
  /// It broke, or the disk did.
  case failed(Failure, retryAfter: Duration?)
  /// It was cancelled by us.
  case stopped

  /// Whether a pause before another try may follow, so that dice are needed.
  var mayRetry: Bool {
    switch self {
    case .ended, .agreed, .stopped: false
    case .refused, .failed: true
    }
  }

  /// How long the server asked to wait.
  var retryAfter: Duration? {
    switch self {
    case .failed(_, let asked), .refused(.failed(_, let asked)): asked
    case .ended, .agreed, .stopped, .refused: nil
    }
  }
}

/// What the run has to do after the core decided.
struct Aftermath {
  var events: [TransferEvent] = []
  var cancel: [any Connection] = []
  var dropped: RunningChecksum?
  var note: String?
  /// Set when the host refused one more connection: how many to it still work.
  var working: Int?
}

extension RunCore {
  /// Takes the end of worker `number`'s exchange.
  mutating func settle(
    _ number: Int,
    _ job: Job,
    _ outcome: FetchOutcome,
    at now: Moment,
    jitter: Double
  ) -> Aftermath {
    live[number] = nil
    defer { if ending == nil { giveUpLead() } }
    return decide(number, job, outcome, now, jitter)
  }

  private mutating func decide(
    _ number: Int,
    _ job: Job,
    _ outcome: FetchOutcome,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    guard job.generation == generation else { return Aftermath() }
    if job.kind == .sample { return settleSample(job, outcome, now, jitter) }
    let segment = plan.segments[number]
    let progressed = (segment?.received ?? 0) > 0
    if let rate = segment?.rate(at: now) { sources[job.source].rate = rate }
    plan.release(number, at: now)
    let isShort = (segment?.left ?? 0) > 0
    if let aftermath = endStream(job, outcome, isShort: isShort) { return aftermath }
    switch outcome {
    case .stopped, .agreed:
      return Aftermath()
    case .ended:
      return end(segment, job, now, jitter)
    case .refused(let verdict):
      return refuse(verdict, job, now, jitter)
    case .failed(let failure, let asked):
      return fail(failure, job, asked, progressed, now, jitter)
    }
  }

  private mutating func end(
    _ segment: Segment?,
    _ job: Job,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    guard let segment else { return Aftermath() }
    if plan.total == nil {
      plan.learn(total: segment.written)
      return Aftermath()
    }
    if segment.received > 0 || segment.left <= 0 { return Aftermath() }
    let failure = Failure(.cutShort, detail: "an answer without bytes")
    return fail(failure, job, nil, false, now, jitter)
  }

  private mutating func refuse(
    _ verdict: AnswerVerdict,
    _ job: Job,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    switch verdict {
    case .accept, .empty:
      return Aftermath()
    case .askWithoutRange:
      let failure = Failure(.wrongRange, detail: "ranges are refused")
      if sources[job.source].withoutRange {
        return setAside(job.source, failure) ?? stop(failure)
      }
      sources[job.source].withoutRange = true
      return Aftermath()
    case .askWithDate:
      sources[job.source].useDate = true
      return Aftermath()
    case .unproven(let failure):
      if unproven == nil, !plan.have.isEmpty {
        unproven = plan.have
        return Aftermath(note: "comparing known bytes: \(failure.detail)")
      }
      return mismatch(failure, job, isCertain: true, now)
    case .differs(let failure):
      return differ(failure, job, now)
    case .foreign(let failure):
      return mismatch(failure, job, isCertain: job.isProbe, now)
    case .changed(let failure):
      return mismatch(failure, job, isCertain: true, now)
    case .expired(let failure):
      return expire(failure, job, now, jitter)
    case .failed(let failure, let asked):
      return fail(failure, job, asked, false, now, jitter)
    }
  }

  /// Whether another connection to a source is bringing bytes.
  func receives(from source: Int) -> Bool {
    live.values.contains { $0.source == source && $0.isReceiving }
  }

  /// A source that serves others refuses one more.
  mutating func takeOneLess(of source: Int) {
    if usable.count == 1 {
      allowed = max(1, live.count)
    } else {
      sources[source].limit = max(1, live(on: source))
    }
  }

  mutating func mismatch(
    _ failure: Failure,
    _ job: Job,
    isCertain: Bool,
    _ now: Moment
  ) -> Aftermath {
    sources[job.source].mismatches += 1
    if receives(from: job.source) {
      takeOneLess(of: job.source)
      return Aftermath(note: "a connection less: \(failure.short), \(failure.detail)")
    }
    guard isCertain || sources[job.source].mismatches >= Self.mismatchLimit
    else { return Aftermath() }
    if let aftermath = setAside(job.source, failure) { return aftermath }
    let isSecond = restarts > 0
    isSingle = isSingle || isSecond || failure.kind != .changed
    return restart(failure, now)
  }
}
