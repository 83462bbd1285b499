// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, when it finds a file of an earlier run: what of it may be believed.
//
// Threads  the run's own; what the audit finds comes on the audit's thread.
// Never    writes into a file that has taken the place of ours before its bytes were looked at.

import Storage
import Transfers
import Workers

extension TransferRun {
  /// Takes a file over; what was not audited yet, or everything when somebody changed the file since
  /// the last run of this process, is compared with its hashes.
  func believe(_ file: PartialFile) {
    let stamp = file.stamp
    let isUntouched = stamp != nil && stamp == context.stamp()
    let blocks = context.ledger.blocksToAudit(of: have, all: !isUntouched)
    let size = file.size
    core.withLock { $0.take(file, size: size, known: blocks) }
    checkPieces(touching: core.withLock { $0.plan.whole })
    if !blocks.isEmpty { startAudit(blocks, of: file) }
  }

  /// Begins to compare; without a thread for it, it is done before anything else.
  private func startAudit(_ blocks: [Block], of file: PartialFile) {
    let generation = core.withLock { $0.generation }
    let found: @Sendable (Block, Bool) -> Bool = { [self] in
      take($0.range, isRight: $1, in: generation)
    }
    do throws(ThreadError) {
      try audit.begin(blocks, of: file, found: found, ended: { [self] in leaveAudit($0) })
    } catch {
      leaveAudit(Audit.compare(blocks, of: file, found: found))
    }
  }

  private func take(_ range: ByteRange, isRight: Bool, in generation: Int) -> Bool {
    let (goesOn, checksum) = core.withLock {
      ($0.audited(range, isRight: isRight, in: generation), $0.checksum)
    }
    guard goesOn else { return false }
    context.ledger.audited(range, isRight: isRight)
    if isRight {
      checksum?.found(range)
      checkPieces(touching: range)
    } else {
      signal()
    }
    return true
  }

  private func leaveAudit(_ result: AuditResult) {
    core.withLock { $0.endAudit() }
    context.note(result.words)
    signal()
  }

  /// A file that has taken the place of ours, when it holds what ours held.
  ///
  /// Up to 16 blocks, spread evenly, are compared; when fewer than half are right, the file is
  /// somebody else's.
  func copy(_ name: String) -> PartialFile? {
    let blocks = context.ledger.blocks.blocks
    let step = (blocks.count + 15) / 16
    guard step > 0,
      let file = try? PartialFile.openReplacement(in: transfer.request.directory, name: name)
    else { return nil }
    let sample = stride(from: 0, to: blocks.count, by: step).map { blocks[$0] }
    let result = Audit.compare(sample, of: file)
    guard result.right >= result.wrong else { return nil }
    context.note("\(file.name).part is another file now, with the same bytes")
    return file
  }
}
