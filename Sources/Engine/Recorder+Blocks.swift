// SPDX-License-Identifier: Apache-2.0
//
// Recorder, the hashes of what it makes durable.
//
// Threads  the recorder's own.
// Never    reads a finished file: it has no use for hashes any more.

import Storage
import Transfers
import Workers

/// Blocks that the session has to learn.
struct HashedBlocks {
  let change: SessionChange
  let ledger: BlockLedger
  let blocks: BlockMap
}

extension Recorder {
  /// The most blocks of one transfer that are hashed before a commit, 512 MiB.
  private static let most = 512
  /// The same while it runs: of a line faster than 128 MiB a second, hashing would take its share.
  private static let mostBeside = 128

  /// Hashes the bytes that a transfer claims; nil when the session knows all its blocks.
  func hash(_ snapshot: Snapshot) -> HashedBlocks? {
    let (transfer, ledger) = (snapshot.transfer, snapshot.ledger)
    if transfer.state.isFinished {
      ledger.forgetAll()
    } else if let file = snapshot.file {
      let isBeside = transfer.state.isActive && !haste.withLock { $0.isClosing }
      let limit = isBeside ? Self.mostBeside : Self.most
      let isWhole = ledger.hash(transfer.have, of: file, at: snapshot.revision, limit: limit)
      // What runs is marked again in a second.
      if !isWhole, !isBeside { goOn(transfer.id) }
    }
    let (changes, blocks) = ledger.unstored()
    if changes.isEmpty { return nil }
    return HashedBlocks(change: .blocks(transfer.id, changes), ledger: ledger, blocks: blocks)
  }

  /// What could not be hashed now is the next commit's, unless there is none any more.
  private func goOn(_ id: TransferID) {
    if !haste.withLock({ $0.isClosing }) { mark(id) }
  }
}
