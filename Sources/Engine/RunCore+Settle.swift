// SPDX-License-Identifier: Apache-2.0
//
// RunCore, after an exchange: what its end means for the run.
//
// Rules    A refused extra connection means fewer connections, not a failure. Answers that do not
//          fit give their range back to the connection it was taken from; when nobody is left to
//          take it, everything begins again, then on one connection. Faults that can pass are
//          tried again with growing pauses, without limit while bytes still come.

import Connections
import Transfers

/// How an exchange ended.
enum FetchOutcome {
  /// All that was asked for came, or a stream without a length ended.
  case ended
  /// The head was not accepted.
  case refused(AnswerVerdict)
  /// It broke, or the disk did.
  case failed(Failure, retryAfter: Duration?)
  /// It was cancelled by us.
  case stopped

  /// Whether a pause before another try may follow, so that dice are needed.
  var mayRetry: Bool {
    switch self {
    case .ended, .stopped: false
    case .refused, .failed: true
    }
  }

  /// How long the server asked to wait.
  var retryAfter: Duration? {
    switch self {
    case .failed(_, let asked), .refused(.failed(_, let asked)): asked
    case .ended, .stopped, .refused: nil
    }
  }
}

extension Failure {
  /// Whether a host that works otherwise says with this that it takes no more connections.
  fileprivate var isRefusal: Bool {
    [.serverBusy, .refused, .cannotConnect, .connectionLost].contains(kind)
  }
}

/// Why the next request has to wait.
struct WaitReason {
  let failure: Failure
  /// The number of the try that comes next.
  let attempt: Int
  let limit: Int
}

/// What the run has to do after the core decided.
struct Aftermath {
  var events: [TransferEvent] = []
  var cancel: [any Connection] = []
  var dropped: RunningChecksum?
  var note: String?
  /// Set when the host refused one more connection: how many still work.
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
    var aftermath = decide(number, job, outcome, now, jitter)
    if let wait = untoldWait(at: now) {
      toldUntil = wait.until
      aftermath.events.append(.retryScheduled(wait))
    }
    return aftermath
  }

  /// The wait that begins when nothing is under way any more, or has become longer since it was told.
  private func untoldWait(at now: Moment) -> RetryWait? {
    guard let reason = waitReason, toldUntil != notBefore, now < notBefore, live.isEmpty,
      ending == nil,
      !plan.isComplete
    else { return nil }
    return RetryWait(
      failure: reason.failure,
      attempt: reason.attempt,
      limit: reason.limit,
      until: notBefore
    )
  }

  private mutating func decide(
    _ number: Int,
    _ job: Job,
    _ outcome: FetchOutcome,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    guard job.generation == generation else { return Aftermath() }
    let segment = plan.segments[number]
    let progressed = (segment?.received ?? 0) > 0
    plan.release(number, at: now)
    switch outcome {
    case .stopped:
      return Aftermath()
    case .ended:
      return end(segment, now, jitter)
    case .refused(let verdict):
      return refuse(verdict, job, now, jitter)
    case .failed(let failure, let asked):
      return fail(failure, asked, progressed, now, jitter)
    }
  }

  private mutating func end(
    _ segment: Segment?,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    guard let segment else { return Aftermath() }
    if plan.total == nil {
      plan.learn(total: segment.written)
      return Aftermath()
    }
    if segment.received > 0 || segment.left <= 0 { return Aftermath() }
    return fail(Failure(.cutShort, detail: "an answer without bytes"), nil, false, now, jitter)
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
      if withoutRange { return stop(Failure(.wrongRange, detail: "ranges are refused")) }
      withoutRange = true
      return Aftermath()
    case .askWithDate:
      useDate = true
      return Aftermath()
    case .unproven(let failure):
      if unproven == nil, plan.have.ranges.contains(where: { $0.upper == job.range.lower }) {
        unproven = plan.have
        return Aftermath(note: "comparing known bytes: \(failure.detail)")
      }
      return mismatch(failure, isCertain: true, now)
    case .foreign(let failure):
      return mismatch(failure, isCertain: job.isProbe, now)
    case .changed(let failure):
      return mismatch(failure, isCertain: true, now)
    case .failed(let failure, let asked):
      return fail(failure, asked, false, now, jitter)
    }
  }

  /// Whether another connection is bringing bytes.
  private var othersReceive: Bool { live.values.contains(where: \.isReceiving) }

  private mutating func mismatch(
    _ failure: Failure,
    isCertain: Bool,
    _ now: Moment
  ) -> Aftermath {
    mismatches += 1
    if othersReceive {
      allowed = max(1, live.count)
      return Aftermath(note: "a connection less: \(failure.short), \(failure.detail)")
    }
    if isCertain || mismatches >= Self.mismatchLimit {
      let isSecond = restarts > 0
      isSingle = isSingle || isSecond || failure.kind != .changed
      return restart(failure, now)
    }
    return Aftermath()
  }

  private mutating func fail(
    _ failure: Failure,
    _ asked: Duration?,
    _ progressed: Bool,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    if failure.kind != .diskFull, !progressed, othersReceive {
      allowed = max(1, live.count)
      return Aftermath(
        note: "a connection less: \(failure.short)",
        working: failure.isRefusal ? allowed : nil
      )
    }
    switch failure.remedy {
    case .waitForSpace:
      return stop(.full(failure))
    case .giveUp:
      return nextMirror() ?? stop(failure)
    case .restart:
      return restart(failure, now)
    case .retry:
      if !plan.isRanged, !plan.have.isEmpty { return restart(failure, now) }
      return retry(failure, asked, progressed, now, jitter)
    }
  }

  private mutating func retry(
    _ failure: Failure,
    _ asked: Duration?,
    _ progressed: Bool,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    // Connections that break together are one try, counted when the last of them has ended.
    if progressed { tries = 0 } else if live.isEmpty { tries += 1 }
    let isHopeless = failure.kind == .noSuchHost && tries >= 2
    guard !isHopeless, let pause = rule.pause(after: tries, asked: asked, jitter: jitter) else {
      return nextMirror() ?? stop(failure)
    }
    notBefore = max(notBefore, now + pause)
    waitReason = WaitReason(failure: failure, attempt: tries + 1, limit: rule.limit)
    return Aftermath(note: live.isEmpty ? nil : "\(failure.short), \(failure.detail)")
  }

  /// Goes over to the next link that serves the file; nil when each has been tried.
  private mutating func nextMirror() -> Aftermath? {
    guard mirrorsTried + 1 < request.mirrors.count else { return nil }
    mirrorsTried += 1
    mirror = (mirror + 1) % request.mirrors.count
    tries = 0
    withoutRange = false
    return Aftermath(note: "next mirror: \(request.mirrors[mirror].origin.host)")
  }

  private mutating func restart(_ failure: Failure, _ now: Moment) -> Aftermath {
    restarts += 1
    guard restarts <= Self.restartLimit else { return stop(failure) }
    let dropped = checksum
    checksum = nil
    generation += 1
    plan.restart()
    answer = nil
    allowed = 1
    mismatches = 0
    useDate = false
    unproven = nil
    isReserved = false
    waitBeforeRestart(failure, now)
    return Aftermath(
      events: [.restarted(failure)],
      cancel: live.values.map(\.connection),
      dropped: dropped
    )
  }

  /// The first time it begins again at once, then after growing pauses.
  private mutating func waitBeforeRestart(_ failure: Failure, _ now: Moment) {
    guard restarts > 1, let pause = rule.pause(after: restarts - 1, asked: nil, jitter: 0)
    else { return }
    notBefore = max(notBefore, now + pause)
    waitReason = WaitReason(
      failure: failure,
      attempt: restarts + 1,
      limit: Self.restartLimit + 1
    )
  }

  private mutating func stop(_ failure: Failure) -> Aftermath {
    stop(.failed(failure))
  }

  /// Ends the run early; the first reason stays.
  mutating func stop(_ reason: RunEnding) -> Aftermath {
    if ending == nil { ending = reason }
    return Aftermath(cancel: live.values.map(\.connection))
  }
}
