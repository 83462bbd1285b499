// SPDX-License-Identifier: Apache-2.0
//
// RunContext: what a run needs from the engine, handed in, so that a run can be tested alone.
//
// Threads  every closure may be called from any worker and must not block for long.

import Connections
import Storage
import Transfers
import Workers

/// The services around one run.
struct RunContext: Sendable {
  let clock: EngineClock
  let rule: RetryRule
  /// Makes a connection; `BlockingConnection` outside tests.
  let connect: @Sendable () -> any Connection
  /// What hosts take, for all transfers together.
  let hosts: HostTable
  /// The rate shared by all transfers.
  let budget: BandwidthBudget
  /// What all transfers receive in a day.
  let meter: DayMeter
  /// Where the extra connections of all transfers run.
  let connections: BlockingOperationQueue
  /// Decodes bytes of a charset, for names.
  let decode: @Sendable ([UInt8], String) -> String?
  /// Reads a Metalink.
  let describe: @Sendable ([UInt8]) -> DescribedFiles
  /// Puts other files in the transfer's place; false when the transfer is gone.
  let replace: @Sendable ([TransferRequest]) -> Bool
  /// Says one line to the user.
  let say: @Sendable (String) -> Void
  /// Says what is known of the whole file now.
  let announce: @Sendable (Announced) -> Void
  /// Says that something happened; false when it cannot have, because the user was quicker.
  let emit: @Sendable (TransferEvent) -> Bool
  /// Says that a file was made or found for the transfer; false when the transfer is gone.
  let own: @Sendable (PartialFile) -> Bool
  /// The transfer's file when an earlier run's is still open; it holds the file's kernel lock.
  let held: @Sendable () -> PartialFile?
  /// Keeps a path for a file that is about to be made; nil when another is to have it.
  let reserve: @Sendable (String) -> (@Sendable () -> Void)?
  /// Blocks until a file that waits for `NAME.part` has it, or the program ends.
  let awaitName: @Sendable (PartialFile) -> Void
  /// Blocks until the session claims no byte of the transfer; false when the flag was set before.
  let unclaim: @Sendable (CancellationFlag) -> Bool
  /// What that file looked like when the earlier run let go of it.
  let stamp: @Sendable () -> FileStamp?
  /// The hashes of what is on disk.
  let ledger: BlockLedger
  /// Writes a line into the transfer's log.
  let note: @Sendable (String) -> Void
  /// Writes an exchange into the transfer's log.
  let record: @Sendable (ExchangeRecord) -> Void
  /// Says that the run waits without using the network, or no longer does.
  let waits: @Sendable (Bool) -> Void
}

extension RunContext {
  /// Says that something happened.
  ///
  /// - Returns: Whether it could have; false when the user was quicker.
  @discardableResult
  func tell(_ event: TransferEvent) -> Bool {
    emit(event)
  }
}
