// SPDX-License-Identifier: Apache-2.0
//
// TransferTable: all transfers of the session as they are now, in queue order.
//
// Holds    one entry a transfer; its state changes in `apply` only.
// Threads  a value under the engine's mutex.

import Storage
import Transfers
import Workers

/// One transfer with what is running for it.
struct TransferEntry {
  var transfer: Transfer
  /// The run that is on, if any.
  var run: TransferRun?
  /// The operation that was queued last for it.
  var operation: BlockingOperation?
  /// The file its bytes go to, while a run is on.
  var file: PartialFile?
  /// The file of an earlier run, as long as somebody, such as the recorder, still has it open.
  private(set) weak var heldFile: PartialFile?
  /// The last lines of its log.
  var log: [LogLine] = []

  /// How many log lines are kept.
  static let logLimit = 50

  init(_ transfer: Transfer) {
    self.transfer = transfer
  }

  /// Lets go of the file at the end of a run.
  mutating func letGo() {
    heldFile = file
    file = nil
  }

  /// Adds a line to the log.
  mutating func note(_ line: LogLine) {
    if log.count >= Self.logLimit { log.removeFirst(log.count - Self.logLimit + 1) }
    log.append(line)
  }
}

/// The transfers of a session.
struct TransferTable {
  private(set) var entries: [TransferID: TransferEntry] = [:]
  /// Queue order.
  private(set) var order: [TransferID] = []

  /// Adds transfers at the end of the queue.
  mutating func append(_ transfers: [Transfer]) {
    for transfer in transfers {
      entries[transfer.id] = TransferEntry(transfer)
      order.append(transfer.id)
    }
  }

  /// Takes transfers out.
  mutating func remove(_ ids: Set<TransferID>) -> [TransferEntry] {
    order.removeAll { ids.contains($0) }
    return ids.compactMap { entries.removeValue(forKey: $0) }
  }

  /// Changes one entry in place; nil when there is no such transfer.
  mutating func update<R>(_ id: TransferID, _ change: (inout TransferEntry) -> R) -> R? {
    guard var entry = entries[id] else { return nil }
    entries[id] = nil
    defer { entries[id] = entry }
    return change(&entry)
  }

  /// The entries in queue order.
  var ordered: [TransferEntry] { order.compactMap { entries[$0] } }
}
