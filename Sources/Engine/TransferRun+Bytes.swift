// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, while bytes arrive: accepting an answer, giving chunks their places, counting.
//
// Threads  called back on the workers' threads, several at once.

import Connections
import Storage
import Transfers
import Workers

extension TransferRun {
  /// Where the bytes behind an accepted head go; a name is chosen when there is no file yet.
  ///
  /// - Returns: Nil when the run was stopped meanwhile.
  func place(for head: ResponseHead, job: Job, total: Int64?) throws(Failure) -> BodyPlace? {
    let (held, isFresh) = core.withLock { ($0.file, job.isProbe && $0.plan.have.isEmpty) }
    // A claim must not outlive its bytes, not even for a moment.
    if isFresh, held != nil || transfer.file != nil, !context.unclaim(stopped) { return nil }
    do throws(StorageError) {
      if let held {
        if isFresh { try held.truncate(to: 0) }
        return .file(held)
      }
      let name = chooseName(head)
      return .new(
        try NewFile(in: transfer.request.directory, reserve: context.reserve) {
          Self.candidate(name, insteadOf: name, $0)
        }
      )
    } catch {
      throw error.failure
    }
  }

  /// Makes the file.
  ///
  /// - Parameters:
  ///   - new: Its name.
  ///   - isWhole: Whether all of its bytes are at hand, so that it needs no name until they are on
  ///     the disk.
  /// - Returns: The file, empty.
  /// - Throws: What the disk says.
  func make(_ new: NewFile, isWhole: Bool) throws(Failure) -> PartialFile {
    do throws(StorageError) {
      let file = try create(new, isWhole: isWhole)
      let isAnswered = core.withLock { core in
        core.file = file
        return !core.isProbing
      }
      if isAnswered { tellName(file.name) }
      let isOurs = context.own(file)
      core.withLock { $0.isFileTold = isAnswered && isOurs }
      // The user was quicker.
      if !isOurs { file.discard() }
      return file
    } catch {
      throw error.failure
    }
  }

  private func create(
    _ new: NewFile,
    isWhole: Bool
  ) throws(StorageError) -> PartialFile {
    if let file = try new.createNameless(isWhole: isWhole) { return file }
    return try new.create { Self.candidate(new.name, insteadOf: new.wish, $0) }
  }

  /// Whether a short file may be gathered before it is made: nobody else has a use for it.
  var mayGather: Bool {
    transfer.request.mirrors.count == 1 && transfer.newLink == nil && transfer.request.pieces == nil
  }

  /// The name to try first, then numbers behind the one that was wished for.
  static func candidate(_ name: String, insteadOf wish: String, _ number: Int) -> String {
    number == 0 ? name : FileName.numbered(wish, number)
  }

  private func chooseName(_ head: ResponseHead) -> String {
    FileName.choose(
      userName: transfer.request.name,
      disposition: head.contentDisposition,
      redirectDisposition: head.redirectDisposition,
      finalPath: head.link.path,
      firstPath: transfer.request.link.path,
      decode: context.decode
    )
  }

  /// Lets an accepted exchange write, and tells what a probe has found out.
  ///
  /// - Returns: The running checksum to feed, when there is one.
  func admit(
    _ head: ResponseHead,
    _ job: Job,
    _ number: Int,
    total: Int64?,
    isRanged: Bool,
    place: BodyPlace
  ) throws(Failure) -> RunningChecksum? {
    let answer = Answer(
      name: place.name,
      total: total.map { ByteCount($0) },
      validators: head.validators,
      isResumable: isRanged,
      source: job.link.text
    )
    let found = FoundDigest.best(in: head)
    let duplicates = job.isProbe ? head.duplicates : []
    let (isNew, isRelinked, expected, announced) = core.withLock { core in
      let isRelinked = job.isProbe && core.isRelinking
      let isNew = core.admit(answer, job, number, found: found, duplicates: duplicates)
      if job.isProbe { core.learn(of: head.describedBy, namedBy: job.link.origin) }
      let expected = core.checksum == nil ? core.expected : nil
      return (isNew, isRelinked, expected, core.toRemember)
    }
    if isNew, !tellAnswer(answer.with(announced), place.file) { return nil }
    if isRelinked { context.tell(.relinked(job.link)) }
    if job.isProbe, let total { try checkRoom(total, in: place.file) }
    // What comes at once is read back at the end, which is cheaper than a thread beside it.
    if let expected, let file = place.file { try startChecksum(expected, of: file) }
    if job.isProbe { core.withLock { $0.isMetalink = head.isMetalink } }
    if job.isProbe { describe(job, name: place.name) }
    spawnMore()
    return core.withLock { $0.checksum }
  }

  /// Starts the workers that there is room for now.
  private func spawnMore() {
    guard core.withLock({ $0.atOnce > $0.workers }) else { return }
    let now = context.clock.now()
    let hosts = grants(at: now)
    spawn(core.withLock { $0.room(at: now, hosts: hosts) })
  }

  /// Tells an answer; when the user was quicker, a file that nobody was told of is removed.
  private func tellAnswer(_ answer: Answer, _ file: PartialFile?) -> Bool {
    if context.tell(.answered(answer)) {
      core.withLock { $0.isFileTold = file != nil }
      return true
    }
    stop(.removed)
    if !core.withLock({ $0.isFileTold }) { file?.discard() }
    return false
  }

  private func startChecksum(_ expected: Checksum, of file: PartialFile) throws(Failure) {
    let checksum = try RunningChecksum(expected.algorithm, of: file, have: ByteRangeSet())
    let known = core.withLock { core in
      core.checksum = checksum
      return core.believed
    }
    for range in known.ranges { checksum.found(range) }
  }

  /// A disk without room shows before the first byte.
  private func checkRoom(_ total: Int64, in file: PartialFile?) throws(Failure) {
    guard total >= Self.reserveFrom, let file else { return }
    let missing = total - max(core.withLock { $0.plan.have.count }, file.allocated.bytes)
    do throws(StorageError) {
      let free = try Disk.freeSpace(in: transfer.request.directory).free
      guard free < ByteCount(missing) else { return }
      throw StorageError(
        Failure(.diskFull, detail: "needs \(missing) bytes, \(free.bytes) are free")
      )
    } catch {
      throw error.failure
    }
  }

  /// Files from this size on get their space ahead of their bytes.
  private static let reserveFrom: Int64 = 1024 * 1024

  /// A file that is done in two seconds gains nothing from space reserved ahead.
  private static let reserveAfter = 8

  /// Reserves space for a file that takes a while, once; called by `tick`.
  func reserveSpace() {
    let found = core.withLock { core -> (PartialFile, Int64)? in
      core.ticks += 1
      guard core.ticks >= Self.reserveAfter, !core.isReserved, core.ending == nil,
        let file = core.file, let total = core.plan.total, total >= Self.reserveFrom
      else { return nil }
      core.isReserved = true
      return (file, total)
    }
    guard let (file, total) = found else { return }
    do throws(StorageError) {
      try file.reserve(ByteCount(total))
    } catch {
      stop(error.failure.remedy == .waitForSpace ? .full(error.failure) : .failed(error.failure))
    }
  }

  /// Finds the place of arriving bytes; nothing is wanted from an exchange of an older generation.
  func claim(_ number: Int, _ generation: Int, _ count: Int, at now: Moment) -> ByteClaim {
    core.withLock { core in
      guard core.generation == generation, core.ending == nil else { return .nothing }
      let claim = core.plan.claim(number, count, at: now)
      let isBehind = claim.offset + Int64(claim.wanted) == core.plan.total && claim.wanted < count
      if isBehind, core.isLengthListed, core.isStream(number) { core.isLongerThanListed = true }
      return claim
    }
  }

  /// Counts bytes that are on disk.
  func wrote(_ number: Int, _ generation: Int, upTo offset: Int64) {
    let written = core.withLock { core -> ByteRange? in
      guard core.generation == generation else { return nil }
      let start = core.plan.segments[number]?.written ?? offset
      core.plan.wrote(number, upTo: offset)
      if let source = core.live[number]?.source { core.sources[source].broughtBytes() }
      guard start < offset, core.pieces != nil else { return nil }
      core.credit(number, ByteRange(start, offset))
      return ByteRange(start, offset)
    }
    if let written { checkPieces(touching: written) }
  }

  /// How many of so many bytes that have arrived a connection may take now, for the limits in force.
  ///
  /// Whoever asks takes them all and then says so to the day's meter. Behind the first `counted` of
  /// them are those that the limits have counted before.
  func grant(_ count: Int, counted: Int, _ number: Int) -> Grant {
    let now = context.clock.now()
    let claimant = Claimant(transfer: transfer.id, connection: number)
    let today = context.meter.reserve(count, isForced: isForced)
    // The heartbeat is about to end the run.
    guard today > 0 else { return Grant(bytes: 0, pause: .milliseconds(50)) }
    let wanted = min(today, counted)
    let own = budget.take(wanted, for: claimant, at: now)
    let shared = own.bytes > 0 ? context.budget.take(own.bytes, for: claimant, at: now) : own
    budget.giveBack(own.bytes - shared.bytes, from: claimant)
    let bytes = shared.bytes == wanted ? today : shared.bytes
    context.meter.giveBack(today - bytes)
    return pausing(Grant(bytes: bytes, pause: max(own.pause, shared.pause)), number, now)
  }

  /// Counts what a server sends ahead against the limits in force.
  func owe(_ ahead: ByteCount, _ number: Int) {
    let now = context.clock.now()
    let claimant = Claimant(transfer: transfer.id, connection: number)
    for each in [budget, context.budget] { each.owe(Int(ahead.bytes), for: claimant, at: now) }
  }

  /// What pauses by itself is not silent.
  private func pausing(_ grant: Grant, _ number: Int, _ now: Moment) -> Grant {
    guard grant.pause > .zero else { return grant }
    core.withLock { $0.plan.expectSilence(number, until: now + grant.pause) }
    return grant
  }
}
