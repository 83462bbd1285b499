// SPDX-License-Identifier: Apache-2.0
//
// EntryView: what of a transfer's entry is looked at from outside, without the rest being copied.

import Storage
import Transfers

/// A transfer at one moment, with what belongs to its bytes.
struct EntryView: Sendable {
  var transfer: Transfer
  let run: TransferRun?
  /// The file, as long as somebody has it open.
  let file: PartialFile?
  let log: LogNews?
  let ledger: BlockLedger
  /// Whether bytes may have been written that nobody has synced yet.
  let isWritten: Bool
  /// Whether the disk has refused bytes of the run that is on.
  let isDistrusted: Bool

  /// The transfer as the session may have it: bytes without a name do not outlive the program.
  var claimed: Transfer {
    guard file?.isNameless == true, !transfer.state.isFinished else { return transfer }
    var claimed = transfer
    claimed.have = ByteRangeSet()
    return claimed
  }

  /// What must be on disk before the session may say what the transfer says of itself.
  ///
  /// Small files are synced together, large ones one by one, as long as they are open.
  var claim: Claim {
    guard isWritten, !claimed.have.isEmpty || transfer.state.isFinished else { return .words }
    guard let file, transfer.have.count >= Claim.aloneFrom
    else { return .directory(transfer.request.directory) }
    return transfer.state.isFinished ? .finished(file) : .bytes(file)
  }
}
