// SPDX-License-Identifier: Apache-2.0
//
// RunCore: what is decided while the bytes of an earlier run are compared with their hashes.

import Connections
import Testing
import Transfers

@testable import Engine

private let size = 4 * Block.length
private let now = Moment(nanoseconds: 0)

private func range(_ lower: Int64, _ upper: Int64) -> ByteRange {
  ByteRange(lower * Block.length, upper * Block.length)
}

/// A run of a transfer that has these bytes, of which these are being audited.
private func core(_ have: [ByteRange], auditing: [ByteRange], tag: String? = nil) -> RunCore {
  let transfer = Transfer(
    id: TransferID(1),
    request: TransferRequest(mirrors: [link("http://one.test/file")], directory: "/tmp"),
    addedAt: WallTime(seconds: 0),
    answer: Answer(
      name: "file",
      total: ByteCount(size),
      validators: Validators(entityTag: tag),
      isResumable: true
    ),
    have: ByteRangeSet(have)
  )
  var core = RunCore(transfer, rule: RetryRule())
  core.workers = 1
  core.isAuditing = true
  core.unaudited = ByteRangeSet(auditing)
  return core
}

extension RunCore {
  fileprivate mutating func job() -> Job? {
    if case .fetch(let job) = step(0, at: now) { job } else { nil }
  }

  fileprivate func waits(_ number: Int = 0) -> Bool {
    var copy = self
    if case .wait = copy.step(number, at: now) { return true }
    return false
  }

  fileprivate func leaves(_ number: Int = 0) -> Bool {
    var copy = self
    if case .leave = copy.step(number, at: now) { return true }
    return false
  }

  fileprivate mutating func differs(_ job: Job) -> Aftermath {
    let failure = Failure(.changed, detail: "known bytes differ from the server's")
    return settle(0, job, .refused(.differs(failure)), at: now, jitter: 0)
  }
}

private func noJob() {
  Issue.record("there is nothing to do")
}

@Suite struct RunCoreAuditTests {
  @Test func aRunDoesNotEndBeforeItsAudit() {
    var core = core([range(0, 4)], auditing: [range(0, 4)])
    #expect(core.waits() && core.leaves(1))
    #expect(core.audited(range(0, 1), isRight: true, in: 0) == true)
    #expect(core.audited(range(1, 4), isRight: true, in: 0) == true)
    #expect(core.waits())
    core.endAudit()
    #expect(core.leaves())
  }

  @Test func aBadBlockIsFetchedAndNothingElse() {
    var core = core([range(0, 4)], auditing: [range(0, 4)], tag: "\"a\"")
    #expect(core.audited(range(1, 2), isRight: false, in: 0) == true)
    #expect(core.job()?.range == range(1, 2))
    #expect(core.plan.have == ByteRangeSet([range(0, 1), range(2, 4)]))
  }

  @Test func aDifferenceFromBytesThatAreNotAuditedWaitsForTheAudit() {
    var core = core([range(0, 2)], auditing: [range(0, 2)])
    guard let job = core.job() else { return noJob() }
    #expect(job.compared.count == OverlapProof.length)
    #expect(core.differs(job).events.isEmpty)
    #expect(core.waits() && core.leaves(1))
    #expect(core.audited(range(0, 1), isRight: true, in: 0) == true)
    #expect(core.audited(range(1, 2), isRight: false, in: 0) == true)
    #expect(core.waits())
    core.endAudit()
    guard let next = core.job() else { return noJob() }
    #expect(next.range == range(1, 4))
    #expect(next.compared.count == OverlapProof.length)
  }

  @Test func aDifferenceFromBytesThatWereGivenUpMeanwhileIsForgotten() {
    var core = core([range(0, 2)], auditing: [range(0, 2)])
    guard let job = core.job() else { return noJob() }
    #expect(core.audited(range(1, 2), isRight: false, in: 0) == true)
    core.endAudit()
    #expect(core.differs(job).events.isEmpty)
    #expect(core.job()?.range == range(1, 4))
  }

  @Test func aDifferenceFromBytesThatAreRightIsAnotherFile() {
    var core = core([range(0, 2)], auditing: [range(0, 2)])
    guard let job = core.job() else { return noJob() }
    #expect(core.audited(range(1, 2), isRight: true, in: 0) == true)
    #expect(core.differs(job).events.count == 1)
    #expect(core.plan.have.isEmpty && core.unaudited.isEmpty)
  }

  @Test func anAuditOfAnEarlierGenerationTakesNothingAway() {
    var core = core([range(0, 2)], auditing: [range(0, 2)])
    guard let job = core.job() else { return noJob() }
    _ = core.audited(range(1, 2), isRight: true, in: 0)
    _ = core.differs(job)
    #expect(core.generation == 1)
    core.plan.learn(total: size)
    _ = core.plan.next(for: 0, at: now)
    _ = core.plan.claim(0, Int(Block.length), at: now)
    core.plan.wrote(0, upTo: Block.length)
    #expect(core.audited(range(0, 1), isRight: false, in: 0) == false)
    #expect(core.plan.have == ByteRangeSet([range(0, 1)]))
  }

  @Test func whereNoKnownBytesLieBeforeTheGapOthersAreCompared() {
    var core = core([range(1, 3)], auditing: [])
    guard let job = core.job() else { return noJob() }
    #expect(job.isProbe)
    #expect(job.range == ByteRange(range(1, 3).upper, range(1, 3).upper))
    #expect(job.expectation.start == job.range.lower - OverlapProof.length)
  }

  @Test func onlyWhatIsAuditedMayEnterADigest() {
    var core = core([range(0, 3)], auditing: [range(1, 2)])
    #expect(core.believed == ByteRangeSet([range(0, 1), range(2, 3)]))
    _ = core.audited(range(1, 2), isRight: true, in: 0)
    #expect(core.believed == ByteRangeSet([range(0, 3)]))
  }
}
