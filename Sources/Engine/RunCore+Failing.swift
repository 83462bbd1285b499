// SPDX-License-Identifier: Apache-2.0
//
// RunCore, when something failed: fewer connections, fewer sources, a pause, a restart, or the end.
//
// Rule     A failure is judged as the transfer's only when it is the last source's; before that the
//          source rests, or is set aside.

import Transfers

extension Failure {
  /// Whether a host that works otherwise says with this that it takes no more connections.
  fileprivate var isRefusal: Bool {
    [.serverBusy, .refused, .cannotConnect, .connectionLost].contains(kind)
  }

  /// Whether another source would meet it as well.
  var isLocal: Bool {
    switch kind {
    case .diskFull, .cannotWrite, .noDirectory, .nameNotUsable, .partialGone, .diskFault,
      .noCookieFile, .badNetrc, .noDescriptors, .unexpected, .checksumDiffers:
      true
    case .needsLogin, .refused, .notFound, .serverBusy, .serverError, .rejected, .redirectLoop,
      .redirectRefused, .wrongRange, .badAnswer, .unwantedCoding, .changed, .notTheFile,
      .isDirectory,
      .otherFile, .wrongLength, .cutShort, .noSuchHost, .cannotConnect, .timedOut, .connectionLost,
      .certificate, .encryption, .proxyRefused, .hostUnknown, .hostKeyChanged, .notALink:
      false
    }
  }
}

extension RunCore {
  /// Takes a failure: of an extra connection, of one source among others, or of the last one.
  mutating func fail(
    _ failure: Failure,
    _ job: Job,
    _ asked: Duration?,
    _ progressed: Bool,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    if failure.kind != .diskFull, !progressed, isExtra(job.source, failure) {
      takeOneLess(of: job.source)
      let isLimit = failure.isRefusal && receives(from: job.source)
      let working = isLimit ? live(at: job.link.origin) : nil
      return Aftermath(note: "a connection less: \(failure.short)", working: working)
    }
    switch failure.remedy {
    case .waitForSpace:
      return stop(.full(failure))
    case .giveUp:
      if failure.isLocal { return stop(failure) }
      return setAside(job.source, failure) ?? returnToStream(failure, now) ?? stop(failure)
    case .restart:
      let aftermath = failure.isLocal ? nil : setAside(job.source, failure)
      return aftermath ?? restart(failure, now)
    case .retry:
      if sources[job.source].isStream, !plan.have.isEmpty { return restart(failure, now) }
      return retry(failure, job.source, asked, progressed, now, jitter)
    }
  }

  /// Whether a failure is only that of one connection among others.
  ///
  /// Where several ask for more at once and all are refused, each is one less, and the last waits.
  private func isExtra(_ source: Int, _ failure: Failure) -> Bool {
    receives(from: source) || failure.isRefusal && live(on: source) > 0
  }

  /// A target that was good for a while: the link is asked once more before this is a failure.
  mutating func expire(
    _ failure: Failure,
    _ job: Job,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    guard !plan.have.isEmpty, !sources[job.source].wasAskedAgain else {
      return fail(failure, job, nil, false, now, jitter)
    }
    sources[job.source].wasAskedAgain = true
    return Aftermath(note: "asking the link again: \(failure.short)")
  }

  private mutating func retry(
    _ failure: Failure,
    _ source: Int,
    _ asked: Duration?,
    _ progressed: Bool,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    // Connections that break together are one try, counted when the last of them has ended.
    if progressed {
      sources[source].tries = 0
    } else if live(on: source) == 0 {
      sources[source].tries += 1
    }
    // Meanwhile it can become another file, which no answer would tell.
    if sources[source].condition == .none, !plan.have.isEmpty { unproven = plan.have }
    let tries = sources[source].tries
    // A host that has answered exists; who cannot find it has no network just now.
    let isNowhere = failure.kind == .noSuchHost && !sources[source].isProven
    let isHopeless = tries >= 2 && (isNowhere || isSpare(source))
    guard !isHopeless, let pause = rule.pause(after: tries, asked: asked, jitter: jitter) else {
      return setAside(source, failure) ?? returnToStream(failure, now) ?? stop(failure)
    }
    sources[source].notBefore = max(sources[source].notBefore, now + pause)
    sources[source].isKnockedAt = true
    sources[source].waitReason = WaitReason(
      failure: failure,
      attempt: tries + 1,
      limit: rule.limit
    )
    if sources.count == 1, live.isEmpty { return Aftermath() }
    let host = sources[source].link.origin.host
    return Aftermath(note: "\(host): \(failure.short), \(failure.detail)")
  }

  /// Whether it has brought nothing yet while another one does.
  private func isSpare(_ source: Int) -> Bool {
    !sources[source].isProven && live.values.contains { $0.source != source && $0.isReceiving }
  }

  /// Drops everything and begins again under a new generation.
  ///
  /// Not for a new link that has another file: what is there belongs to the old one.
  mutating func restart(_ failure: Failure, _ now: Moment) -> Aftermath {
    if isRelinking { return stop(Failure(.otherFile, code: failure.code, detail: failure.detail)) }
    restarts += 1
    guard restarts <= Self.restartLimit else { return stop(failure) }
    let dropped = checksum
    checksum = nil
    generation += 1
    plan.restart()
    answer = nil
    announced = Announced()
    repair = nil
    pieceBook = PieceBook()
    allowed = 1
    unproven = nil
    unaudited = ByteRangeSet()
    waitsForAudit = false
    isReserved = false
    for source in sources.indices {
      sources[source].forget()
      sources[source].comeBack()
    }
    waitBeforeRestart(failure, now)
    return Aftermath(
      events: [.restarted(failure)],
      cancel: live.values.compactMap(\.connection),
      dropped: dropped
    )
  }

  /// The first time it begins again at once, then after growing pauses.
  private mutating func waitBeforeRestart(_ failure: Failure, _ now: Moment) {
    guard restarts > 1, let pause = rule.pause(after: restarts - 1, asked: nil, jitter: 0)
    else { return }
    restartsAt = max(restartsAt, now + pause)
    restartReason = WaitReason(
      failure: failure,
      attempt: restarts + 1,
      limit: Self.restartLimit + 1
    )
  }

  mutating func stop(_ failure: Failure) -> Aftermath {
    stop(.failed(failure))
  }

  /// Ends the run early; the first reason stays.
  mutating func stop(_ reason: RunEnding) -> Aftermath {
    if ending == nil { ending = reason }
    return Aftermath(cancel: live.values.compactMap(\.connection))
  }
}
