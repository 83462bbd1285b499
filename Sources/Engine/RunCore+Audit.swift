// SPDX-License-Identifier: Apache-2.0
//
// RunCore, while what an earlier run left is compared with its hashes.
//
// Rules    Bytes are given up block by block and fetched again like any gap. Until a block was
//          audited it enters no digest, and a difference from the server's bytes says nothing.
//          A run never ends before its audit.

import Storage
import Transfers

extension RunCore {
  /// The bytes on disk that need no audit any more.
  var believed: ByteRangeSet {
    var believed = plan.have
    for range in unaudited.ranges { believed.remove(range) }
    return believed
  }

  /// Takes the file of an earlier run, of that size, with the blocks that are to be audited.
  mutating func take(_ file: PartialFile, size: Int64, known: [Block]) {
    self.file = file
    isAuditing = !known.isEmpty
    unaudited = ByteRangeSet(known.map(\.range))
    giveUp(ByteRange(size, SegmentPlan.unknownEnd))
  }

  /// Notes what the audit, which belongs to one generation, has found out about a block.
  ///
  /// - Returns: Whether the audit should go on.
  mutating func audited(_ block: ByteRange, isRight: Bool, in begun: Int) -> Bool {
    guard generation == begun, ending == nil else { return false }
    unaudited.remove(block)
    if !isRight { giveUp(block) }
    return true
  }

  /// Ends the audit.
  mutating func endAudit() {
    isAuditing = false
    waitsForAudit = false
  }

  /// These bytes are not there, or not right; what a source is compared with is chosen anew.
  private mutating func giveUp(_ range: ByteRange) {
    plan.forget(range)
    unproven?.remove(range)
    for source in sources.indices { sources[source].blocks = nil }
  }

  /// The server's bytes differ from known ones, unless these were damaged.
  mutating func differ(_ failure: Failure, _ job: Job, _ now: Moment) -> Aftermath {
    guard believed.contains(job.compared) else {
      waitsForAudit = isAuditing
      return Aftermath(note: "known bytes may be damaged: asking again when they are checked")
    }
    if job.kind == .sample { return setAside(job.source, failure) ?? restart(failure, now) }
    return mismatch(failure, job, isCertain: true, now)
  }
}
