// SPDX-License-Identifier: Apache-2.0
//
// RunCore: what the workers of one run share, and every decision about who does what next.
//
// Holds    at most `allowed` exchanges at once; until an answer is known exactly one, the probe.
//          A new generation begins when everything is dropped: nothing of an older one is written.
// Threads  a value under `TransferRun`'s mutex. It decides and returns; the run acts afterwards.

import Connections
import Storage
import Transfers

/// One exchange for a worker to make.
struct Job {
  let generation: Int
  let range: ByteRange
  let isProbe: Bool
  /// Known bytes before the range that are asked for again, to be compared.
  let overlap: Int64
  /// Whether it is the first after a pause that was told.
  let endsWait: Bool
  let overtaken: (any Connection)?
  let expectation: Expectation
  let link: Link
}

/// What a worker does next.
enum Step {
  case fetch(Job)
  /// Nothing to do now; look again when something has changed.
  case wait
  /// Nothing to do any more.
  case leave
}

/// The shared state of a run.
struct RunCore {
  let request: TransferRequest
  /// What an earlier run was told, even when nothing of its bytes is left.
  let remembered: Answer?
  let rule: RetryRule

  var plan: SegmentPlan
  var answer: Answer?
  var generation = 0
  /// The generation in which an answer has been accepted.
  var provenGeneration = -1
  var ending: RunEnding?
  var file: PartialFile?
  var checksum: RunningChecksum?
  var expected: Checksum?

  /// Exchanges that are going on, by worker number.
  var live: [Int: LiveExchange] = [:]
  /// Worker loops that have not left.
  var workers = 0
  /// The highest worker number given out.
  var lastWorker = 0
  /// Exchanges allowed at once.
  var allowed: Int
  /// Set when answers did not fit together: one connection, from the start.
  var isSingle = false
  var mirror = 0
  var mirrorsTried = 0
  /// Before this no request is sent.
  var notBefore = Moment(nanoseconds: .min)
  /// Tries in a row that brought no byte.
  var tries = 0
  var restarts = 0
  /// Answers in a row that did not fit.
  var mismatches = 0
  var useDate = false
  /// What was on disk when the run began, as long as it has to be proved to be the server's.
  var unproven: ByteRangeSet?
  var withoutRange = false
  /// Looks of the heartbeat so far.
  var ticks = 0
  /// Whether the transfer is known to have this file.
  var isFileTold: Bool
  /// Whether the file has got its space.
  var isReserved = false
  /// Why the next request waits for `notBefore`.
  var waitReason: WaitReason?
  /// The end of the pause that was told last, while it lasts.
  var toldUntil: Moment?
  var isSilent = false
  var growth = ConnectionGrowth()

  static let restartLimit = 5
  static let mismatchLimit = 3

  init(_ transfer: Transfer, rule: RetryRule) {
    request = transfer.request
    self.rule = rule
    remembered = transfer.answer
    let resumable = transfer.answer?.isResumable == true
    plan = SegmentPlan(
      total: resumable ? transfer.total?.bytes : nil,
      have: resumable ? transfer.have : ByteRangeSet()
    )
    answer = resumable ? transfer.answer : nil
    if let known = answer?.validators, known.strongTag == nil, known.lastModified == nil {
      unproven = plan.have
    }
    expected = transfer.request.checksum
    isFileTold = transfer.file != nil
    allowed = 1
  }

  /// The host that is asked next.
  var origin: Origin { request.mirrors[mirror].origin }

  /// The most connections this transfer may ever use.
  var ceiling: Int {
    switch request.connections {
    case .adaptive: 8
    case .fixed(let count): max(1, count)
    }
  }
}

/// An exchange that is going on.
struct LiveExchange {
  let connection: any Connection
  let generation: Int
  let host: String
  /// Whether its answer was accepted, so that bytes may come.
  var isReceiving = false
}

extension RunCore {
  /// Decides what a worker does now; worker 0 is the one that stays to the end.
  mutating func step(_ number: Int, at now: Moment, host: HostGrant = .unbounded) -> Step {
    if ending != nil || plan.isComplete { return .leave }
    if live.count >= min(allowed, host.share) { return number == 0 ? .wait : .leave }
    if now < max(notBefore, host.heldUntil) { return number == 0 ? .wait : .leave }
    if isProbing { return probe(number, at: now) }
    guard let assignment = plan.next(for: number, at: now) else { return .wait }
    return .fetch(job(assignment, isProbe: false))
  }

  /// Whether the next exchange must first show what the server has.
  var isProbing: Bool { provenGeneration != generation }

  private mutating func probe(_ number: Int, at now: Moment) -> Step {
    guard number == 0, live.isEmpty else { return number == 0 ? .wait : .leave }
    guard let assignment = plan.next(for: number, at: now) else { return .wait }
    return .fetch(job(assignment, isProbe: true))
  }

  private mutating func job(_ assignment: Assignment, isProbe: Bool) -> Job {
    defer {
      toldUntil = nil
      waitReason = nil
    }
    let joins = !plan.have.isEmpty || !isProbe
    let overlap = overlap(before: assignment.range.lower)
    return Job(
      generation: generation,
      range: assignment.range,
      isProbe: isProbe,
      overlap: overlap,
      endsWait: toldUntil != nil,
      overtaken: assignment.overtaken.flatMap { live[$0]?.connection },
      expectation: Expectation(
        start: assignment.range.lower - overlap,
        withRange: !withoutRange,
        isProbe: isProbe,
        joins: joins,
        total: plan.total ?? remembered?.total?.bytes,
        validators: validators,
        condition: joins ? condition : .none,
        isCompared: overlap > 0
      ),
      link: request.mirrors[mirror]
    )
  }

  /// How many bytes that were on disk before this run lie right before an offset, up to the length
  /// of an overlap; 0 when nothing has to be proved.
  func overlap(before offset: Int64) -> Int64 {
    guard let before = unproven?.ranges.first(where: { $0.upper == offset }) else { return 0 }
    return min(OverlapProof.length, before.count)
  }

  private var condition: Condition {
    if unproven != nil { return .none }
    if !useDate, validators.strongTag != nil { return .tag }
    return validators.lastModified != nil ? .date : .none
  }

  /// The validators of the answer that the bytes belong to.
  var validators: Validators { (answer ?? remembered)?.validators ?? Validators() }
}
