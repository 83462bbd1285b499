// SPDX-License-Identifier: Apache-2.0
//
// RunCore: what the workers of one run share, and every decision about who does what next.
//
// Holds    at most `atOnce` exchanges at once; until an answer is known exactly one, the probe.
//          No byte of a source is written before something has shown that it belongs to the file.
//          A new generation begins when everything is dropped: nothing of an older one is written.
// Threads  a value under `TransferRun`'s mutex. It decides and returns; the run acts afterwards.

import Connections
import Storage
import Transfers

/// What an exchange is for.
enum JobKind: Hashable {
  /// To find out what the server has; its bytes are kept.
  case probe
  /// To fetch a part.
  case part
  /// To compare a block that is on disk with the source's; nothing is written.
  case sample
}

/// One exchange for a worker to make.
struct Job {
  let kind: JobKind
  let generation: Int
  let range: ByteRange
  /// Known bytes that are compared before anything is written.
  let compared: ByteRange
  /// Whether it is the first after a pause that was told.
  let endsWait: Bool
  let overtaken: (any Connection)?
  let expectation: Expectation
  /// Which of the run's sources is asked.
  let source: Int
  let link: Link
  /// Whether a server named the link, so that it gets none of the user's secrets.
  let isFound: Bool

  var isProbe: Bool { kind == .probe }
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
  /// The complete file, when it is left to others to name it; the transfer is finished then.
  var naming: Naming?
  /// Whether what is on disk is being compared with its hashes.
  var isAuditing = false
  /// Bytes on disk that have a hash and were not compared with it yet.
  var unaudited = ByteRangeSet()
  /// Set when the server's bytes differ from some that were not audited yet.
  var waitsForAudit = false
  /// A digest that was found beside the link.
  var searched: Checksum?
  /// What servers told about the whole file.
  var announced = Announced()
  /// Whether a document about the file was asked for.
  var isDescribed = false
  /// Whether the server calls the file a Metalink; nil when it was not asked in this run.
  var isMetalink: Bool?
  /// Whether the lead tells no length, and that of a list is taken for it.
  var isLengthListed = false
  /// Whether a stream went on behind that length.
  var isLongerThanListed = false
  /// How far a repair has come.
  var repair: RepairProgress?
  /// The digest of what was dropped because of it.
  var wrongDigest: [UInt8]?

  /// The links that serve the file; none is ever taken out.
  var sources: [Source]
  /// The one that gives the file: the next probe goes to it.
  var lead = 0
  /// Whether the lead is a link given in place of the first, which has not been accepted yet: it
  /// goes on with what is on disk, or the run fails.
  var isRelinking: Bool
  /// The hosts that this run has joined.
  var joined: Set<Origin> = []
  /// Exchanges that were given out and have not ended, by worker number.
  var live: [Int: LiveExchange] = [:]
  /// Worker loops that have not left.
  var workers = 0
  /// The highest worker number given out.
  var lastWorker = 0
  /// Exchanges allowed at once, whatever the limit is.
  var allowed: Int
  /// Exchanges that the limit in force can keep fed.
  var fed = Int.max
  /// Set when answers did not fit together: one connection, from the start.
  var isSingle = false
  /// After a restart no request is sent before this.
  var restartsAt = Moment(nanoseconds: .min)
  var restarts = 0
  /// What was on disk when the run began, as long as it has to be proved to be the server's.
  var unproven: ByteRangeSet?
  /// Pieces that differ from their digests at the end.
  var wrongPieces = 0
  var pieceBook = PieceBook()
  /// Looks of the heartbeat so far.
  var ticks = 0
  /// Whether the transfer is known to have this file.
  var isFileTold: Bool
  /// Whether the file has got its space.
  var isReserved = false
  /// Why everything waits for `restartsAt`.
  var restartReason: WaitReason?
  /// The end of the pause that was told last, while it lasts.
  var toldUntil: Moment?
  var isSilent = false
  /// When the first of the connections that bring bytes was asked; silence is not older.
  var silentSince: Moment?
  var growth = ConnectionGrowth()

  static let restartLimit = 5
  static let mismatchLimit = 3

  init(_ transfer: Transfer, rule: RetryRule) {
    request = transfer.request
    self.rule = rule
    remembered = transfer.answer
    isRelinking = transfer.newLink != nil
    // What is whole needs no ranges to be gone on with.
    let isWhole = !transfer.have.isEmpty && transfer.total?.bytes == transfer.have.count
    let resumable = transfer.answer?.isResumable == true || isWhole
    let keeps = resumable || isRelinking
    plan = SegmentPlan(
      total: keeps ? transfer.total?.bytes : nil,
      have: keeps ? transfer.have : ByteRangeSet()
    )
    answer = resumable ? transfer.answer : nil
    // Only http says with each answer which bytes it brings.
    let isVouchedFor = request.link.origin.scheme.isHTTP && answer?.validators.lastModified != nil
    if let known = answer?.validators, known.strongTag == nil, !isVouchedFor {
      unproven = plan.have
    }
    isFileTold = transfer.file != nil
    allowed = 1
    sources = Self.sources(of: transfer)
    repair = keeps ? transfer.repair : transfer.repair.map { RepairProgress(pass: $0.pass) }
    remember(keeps ? transfer.answer : nil)
  }

  /// The digest that the file must have.
  var expected: Checksum? { request.checksum ?? searched ?? announced.checksum }

  /// The link that gave what is on disk is checked by its validators; others have to show blocks.
  private static func sources(of transfer: Transfer) -> [Source] {
    let old = transfer.request.mirrors
    let links = transfer.newLink.map { [$0] + old.dropFirst() } ?? old
    return links.map { link in
      let isOnly = old == [link]
      guard let answer = transfer.answer, answer.source.map({ $0 == link.text }) ?? isOnly
      else { return Source(link) }
      return Source(link, that: answer)
    }
  }

  /// Exchanges allowed at once under the limit in force.
  var atOnce: Int { min(allowed, fed) }

  /// The most connections this transfer may ever use.
  var ceiling: Int {
    switch request.connections {
    case .adaptive: 8
    case .fixed(let count): max(1, count)
    }
  }
}

/// An exchange that is going on, from the moment it is given out.
struct LiveExchange {
  /// nil until the worker has made it.
  var connection: (any Connection)?
  let generation: Int
  let source: Int
  let origin: Origin
  /// Whether its answer was accepted, so that bytes may come.
  var isReceiving = false
  /// Whether it was made for a slow limit.
  var isNarrow = false
}

extension RunCore {
  /// Decides what a worker does now; worker 0 is the one that stays to the end.
  mutating func step(_ number: Int, at now: Moment, hosts: HostGrants = HostGrants()) -> Step {
    if ending != nil { return .leave }
    if plan.isComplete || waitsForAudit { return number == 0 && isAuditing ? .wait : .leave }
    let mayAsk = isProbing ? number == 0 && live.isEmpty : live.count < atOnce
    guard mayAsk, let source = chooseSource(at: now, hosts) else {
      return number == 0 ? .wait : .leave
    }
    if isProbing { lead = source }
    if let block = nextBlock(of: source) { return begin(sample(block, of: source), number) }
    plan.isOrdered = expected != nil && !sources.contains(where: \.isStream)
    guard let assignment = comparison(number, at: now) ?? plan.next(for: number, at: now)
    else { return .wait }
    return begin(job(assignment, of: source), number)
  }

  /// It counts from now on: what is decided before the worker has its connection must not take the
  /// run for one that only waits.
  private mutating func begin(_ job: Job, _ number: Int) -> Step {
    live[number] = LiveExchange(
      generation: job.generation,
      source: job.source,
      origin: job.link.origin
    )
    return .fetch(job)
  }

  /// Takes the connection for an exchange that was given out.
  ///
  /// - Returns: Whether it is still wanted.
  mutating func register(
    _ connection: any Connection,
    _ number: Int,
    _ job: Job,
    isNarrow: Bool = false
  ) -> Bool {
    guard ending == nil, generation == job.generation, sources[job.source].isUsable
    else { return false }
    live[number]?.connection = connection
    live[number]?.isNarrow = isNarrow
    return true
  }

  /// Whether nobody has anything to do any more.
  var isOver: Bool { ending != nil || plan.isComplete && !isAuditing }

  /// Whether the next exchange must first show what the server has.
  var isProbing: Bool { provenGeneration != generation }

  /// Known bytes to compare, when some have to be proved and none lie right before the first gap.
  private mutating func comparison(_ number: Int, at now: Moment) -> Assignment? {
    guard isProbing, let known = unproven?.ranges.last, let gap = plan.firstFreeGap,
      overlap(before: gap.lower) == 0
    else { return nil }
    return plan.compare(before: known.upper, number, at: now)
  }

  private mutating func job(_ assignment: Assignment, of source: Int) -> Job {
    let overlap = overlap(before: assignment.range.lower)
    let joins = !plan.have.isEmpty || !isProbing
    let isTied = joins && unproven == nil
    return job(
      isProbing ? .probe : .part,
      assignment.range,
      compared: ByteRange(assignment.range.lower - overlap, assignment.range.lower),
      of: source,
      condition: isTied ? sources[source].condition : .none,
      overtaken: assignment.overtaken.flatMap { live[$0]?.connection }
    )
  }

  private mutating func sample(_ block: ByteRange, of source: Int) -> Job {
    job(.sample, block, compared: block, of: source, condition: .none, overtaken: nil)
  }

  private mutating func job(
    _ kind: JobKind,
    _ range: ByteRange,
    compared: ByteRange,
    of source: Int,
    condition: Condition,
    overtaken: (any Connection)?
  ) -> Job {
    defer {
      toldUntil = nil
      restartReason = nil
      sources[source].waitReason = nil
    }
    return Job(
      kind: kind,
      generation: generation,
      range: range,
      compared: compared,
      endsWait: toldUntil != nil,
      overtaken: overtaken,
      expectation: Expectation(
        start: compared.lower,
        withRange: !sources[source].withoutRange,
        isProbe: kind == .probe,
        joins: !plan.have.isEmpty || !isProbing,
        total: plan.total ?? remembered?.total?.bytes,
        validators: sources[source].validators,
        condition: condition,
        isCompared: !compared.isEmpty
      ),
      source: source,
      link: sources[source].link,
      isFound: sources[source].isFound
    )
  }

  /// How many bytes that were on disk before this run lie right before an offset, up to the length
  /// of an overlap; 0 when nothing has to be proved.
  func overlap(before offset: Int64) -> Int64 {
    guard let before = unproven?.ranges.first(where: { $0.upper == offset }) else { return 0 }
    return min(OverlapProof.length, before.count)
  }
}
