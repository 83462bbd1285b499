// SPDX-License-Identifier: Apache-2.0
//
// RunCore: what the end of an exchange means for a run. Workers are played by hand.

import Connections
import Testing
import Transfers

@testable import Engine

private func at(_ seconds: Double) -> Moment {
  Moment(nanoseconds: 0) + .seconds(seconds)
}

@Suite struct RunCoreTests {
  @Test func thereIsOneExchangeUntilAnAnswerIsKnown() {
    var core = playedCore()
    #expect(core.begin(0, at: at(0))?.isProbe == true)
    if case .leave = core.step(1, at: at(0)) {} else { Issue.record("a second probe") }
    #expect(core.isWaiting(0, at: at(0)))
  }

  @Test func aFixedNumberOfConnectionsBeginsAtOnce() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    #expect(jobs.count == 4)
    #expect(core.workers == 4)
    #expect(Set(jobs.values.filter { !$0.isProbe }.map(\.range.lower)).count == 3)
    #expect(core.room(at: at(0)).isEmpty)
  }

  @Test func smallFilesAndServersWithoutRangesGetOneConnection() {
    for (total, isResumable) in [(SegmentPlan.smallest, true), (64 * SegmentPlan.smallest, false)] {
      var core = playedCore()
      let probe = core.begin(0, at: at(0))
      let answer = Answer(
        name: "file",
        total: ByteCount(total),
        validators: Validators(),
        isResumable: isResumable
      )
      if let probe { _ = core.admit(answer, probe, 0, found: nil) }
      #expect(core.room(at: at(0)).isEmpty)
    }
  }

  @Test func foreignAnswersWithNobodyElseBeginAgainAndThenAlone() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    core.take(0, 1000, at: at(0.1))
    for number in 1...3 { _ = core.fail(number, jobs[number], at: at(0.2)) }
    _ = core.fail(0, jobs[0], at: at(0.3))
    var restarts = 0
    for _ in 0..<RunCore.mismatchLimit {
      guard let job = core.begin(0, at: at(100)) else { continue }
      let verdict = AnswerVerdict.foreign(Failure(.wrongRange))
      let aftermath = core.settle(0, job, .refused(verdict), at: at(100), jitter: 0)
      if case .restarted? = aftermath.events.first { restarts += 1 }
    }
    #expect(restarts == 1)
    #expect(core.isSingle && core.generation == 1 && core.plan.have.isEmpty)
    _ = core.open(at: at(200))
    #expect(core.allowed == 1)
  }

  @Test func aChangedFileBeginsAgainAndCancelsTheOthers() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    for number in 0...2 { core.live[number]?.isReceiving = false }
    if let job = jobs[3] {
      let verdict = AnswerVerdict.changed(Failure(.changed))
      let aftermath = core.settle(3, job, .refused(verdict), at: at(1), jitter: 0)
      #expect(aftermath.events == [.restarted(Failure(.changed))])
      #expect(aftermath.cancel.count == 3)
    }
    // What the cancelled ones bring later belongs to nobody.
    #expect(core.isWaiting(0, at: at(1)))
    for number in 0...2 {
      guard let job = jobs[number] else { continue }
      let aftermath = core.settle(number, job, .stopped, at: at(1), jitter: 0)
      #expect(aftermath.events.isEmpty)
    }
    #expect(core.begin(0, at: at(1))?.isProbe == true)
  }

  @Test func itDoesNotBeginAgainForEver() {
    var core = playedCore(connections: .fixed(1))
    var now = 0.0
    for _ in 0..<100 {
      guard core.ending == nil else { break }
      now += 100
      guard let job = core.begin(0, at: at(now)) else { continue }
      let verdict = AnswerVerdict.changed(Failure(.changed))
      _ = core.settle(0, job, .refused(verdict), at: at(now), jitter: 0)
    }
    #expect(core.ending == .failed(Failure(.changed)))
    #expect(core.restarts == RunCore.restartLimit + 1)
  }

  @Test func triesWithoutAByteAreCountedWithGrowingPauses() {
    var core = playedCore(connections: .fixed(1))
    var now = at(0)
    var pauses: [Double] = []
    for _ in 0..<5 {
      let wait = toldWaits(core.fail(0, core.begin(0, at: now), at: now)).first
      guard let wait else { break }
      pauses.append((wait.until - now).inSeconds)
      #expect(core.isWaiting(0, at: now))
      now = wait.until
    }
    #expect(pauses == [1, 2, 4, 8, 16])
    #expect(core.ending == nil)
    _ = core.fail(0, core.begin(0, at: now), at: now)
    #expect(core.ending == .failed(Failure(.connectionLost)))
  }

  @Test func whileBytesComeThereIsNoLimit() {
    var core = playedCore(connections: .fixed(1))
    var now = at(0)
    _ = core.open(at: now)
    for turn in 0..<50 {
      guard turn > 0, let job = core.begin(0, at: now) else {
        core.live[0] = nil
        core.plan.release(0, at: now)
        continue
      }
      core.take(0, 10, at: now)
      let wait = toldWaits(core.fail(0, job, at: now)).first
      #expect(wait?.attempt == 1 || wait?.attempt == 2)
      now = wait?.until ?? now
    }
    #expect(core.ending == nil)
    #expect(core.plan.have.count == 490)
  }

  @Test func aWaitIsToldWhenTheLastExchangeHasEnded() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    core.live[0]?.isReceiving = true
    for number in 0...3 { core.take(number, 100, at: at(1)) }
    for number in 1...3 {
      #expect(toldWaits(core.fail(number, jobs[number], .cutShort, at: at(1))).isEmpty)
    }
    guard let job = jobs[0] else { return }
    let aftermath = core.told(core.settle(0, job, .ended, at: at(1), jitter: 0.5), at(1))
    #expect(toldWaits(aftermath).first?.until == at(2))
  }

  @Test func aServerMayAskForALongerPause() {
    var core = playedCore(connections: .fixed(1))
    let job = core.begin(0, at: at(0))
    let wait = toldWaits(core.fail(0, job, .serverBusy, after: .seconds(120), at: at(0))).first
    #expect(wait?.until == at(120))
    #expect(core.isWaiting(0, at: at(119)))
    #expect(core.begin(0, at: at(120))?.endsWait == true)
  }

  @Test func aPauseThatIsTooLongIsCutAndAShortOneIsOurs() {
    for (asked, until) in [(Duration.seconds(100_000), 3600.0), (.zero, 1)] {
      var core = playedCore(connections: .fixed(1))
      let job = core.begin(0, at: at(0))
      let wait = toldWaits(core.fail(0, job, .serverBusy, after: asked, at: at(0))).first
      #expect(wait?.until == at(until))
    }
  }

  @Test func theNextMirrorIsAskedWhereOneGivesUp() {
    var core = playedCore(connections: .fixed(1), mirrors: 3)
    var hosts: [String] = []
    while core.ending == nil, let job = core.begin(0, at: at(0)) {
      hosts.append(job.link.origin.host)
      _ = core.fail(0, job, .notFound, at: at(0))
    }
    #expect(hosts == ["mirror0.test", "mirror1.test", "mirror2.test"])
    #expect(core.ending == .failed(Failure(.notFound)))
  }

  @Test func aHostThatDoesNotExistIsAskedTwice() {
    var core = playedCore(connections: .fixed(1))
    let wait = toldWaits(core.fail(0, core.begin(0, at: at(0)), .noSuchHost, at: at(0))).first
    #expect(wait != nil)
    _ = core.fail(0, core.begin(0, at: at(10)), .noSuchHost, at: at(10))
    #expect(core.ending == .failed(Failure(.noSuchHost)))
  }

  @Test func aHostThatHasAnsweredExistsAlthoughItIsNotFound() {
    var core = playedCore(connections: .fixed(1))
    var job = core.open(at: at(0))[0]
    core.take(0, 1000, at: at(0))
    var tries = 0
    while core.ending == nil, tries < 20 {
      tries += 1
      _ = core.fail(0, job, .noSuchHost, at: at(100 * Double(tries)))
      job = core.begin(0, at: at(100 * Double(tries) + 99))
    }
    #expect(tries == 1 + RetryRule().limit)
  }

  @Test func aCutStreamWithoutRangesBeginsAgain() {
    var core = playedCore(connections: .fixed(1))
    let stream = Answer(name: "file", total: nil, validators: Validators(), isResumable: false)
    let probe = core.begin(0, at: at(0))
    if let probe { _ = core.admit(stream, probe, 0, found: nil) }
    core.take(0, 1000, at: at(0))
    let aftermath = core.fail(0, probe, .cutShort, at: at(0))
    #expect(aftermath?.events == [.restarted(Failure(.cutShort))])
    #expect(core.plan.have.isEmpty)
  }

  @Test func theEndOfAStreamIsItsLength() {
    var core = playedCore(connections: .fixed(1))
    let stream = Answer(name: "file", total: nil, validators: Validators(), isResumable: false)
    let probe = core.begin(0, at: at(0))
    if let probe {
      _ = core.admit(stream, probe, 0, found: nil)
      core.take(0, 1000, at: at(0))
      _ = core.settle(0, probe, .ended, at: at(0), jitter: 0)
    }
    #expect(core.plan.total == 1000 && core.plan.isComplete)
  }

  @Test func aFullDiskEndsTheRunAndCancelsAll() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    let aftermath = core.fail(1, jobs[1], .diskFull, at: at(0))
    #expect(aftermath?.cancel.count == 3)
    #expect(core.ending == .full(Failure(.diskFull)))
  }

  @Test func theFirstReasonToStopStays() {
    var core = playedCore()
    _ = core.open(at: at(0))
    #expect(core.stop(.paused).cancel.count == 4)
    _ = core.stop(.shutDown)
    #expect(core.ending == .paused)
    if case .leave = core.step(0, at: at(0)) {} else { Issue.record("it goes on") }
  }

  @Test func silenceIsToldOnceAndItsEndToo() {
    var core = playedCore(connections: .fixed(1))
    _ = core.open(at: at(0))
    core.take(0, 100, at: at(1))
    #expect(core.noticeSilence(at: at(4)) == nil)
    #expect(core.noticeSilence(at: at(5)) == .fellSilent)
    #expect(core.noticeSilence(at: at(6)) == nil)
    core.take(0, 100, at: at(7))
    #expect(core.noticeSilence(at: at(7)) == .flowing)
    #expect(core.noticeSilence(at: at(8)) == nil)
  }

  @Test func aSecondSilenceAfterANewConnectionIsToldToo() {
    var core = playedCore(connections: .fixed(1))
    let jobs = core.open(at: at(0))
    core.take(0, 100, at: at(1))
    #expect(core.noticeSilence(at: at(5)) == .fellSilent)
    _ = core.fail(0, jobs[0], .timedOut, at: at(10))
    let again = core.begin(0, at: at(12))
    if let again { _ = core.admit(goodAnswer, again, 0, found: nil) }
    #expect(core.noticeSilence(at: at(17)) == .fellSilent)
  }

  @Test func anAdaptiveTransferGrowsWhileTheSpeedRises() {
    var core = playedCore(connections: .adaptive)
    _ = core.open(at: at(0))
    #expect(core.allowed == 1)
    #expect(core.grow(at: at(0)).isEmpty)
    core.take(0, 1_000_000, at: at(1))
    let grown = core.grow(at: at(1))
    #expect(grown.count == 1)
    #expect(core.allowed == 2)
    // The second has not begun yet.
    #expect(core.grow(at: at(2)).isEmpty)
  }
}
