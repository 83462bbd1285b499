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
  /// The operations that were queued for it and may not have ended, the last one at the end.
  var operations: [BlockingOperation] = []
  /// The file its bytes go to, while a run is on.
  private(set) var file: PartialFile?
  /// The file of an earlier run, as long as somebody, such as the recorder, still has it open.
  private(set) weak var heldFile: PartialFile?
  /// The hashes of what is on disk.
  let ledger: BlockLedger
  /// What the file looked like when the last run of this process let go of it.
  var stamp: FileStamp?
  /// The last lines of its log.
  var log: TransferLog

  /// Whether bytes may have been written that nobody has synced yet.
  private(set) var isWritten = false
  /// Whether the disk has refused bytes of the run that is on.
  var isDistrusted = false
  /// Whether it runs, now or when its turn comes, although it is not its time.
  var isForced = false

  init(
    _ transfer: Transfer,
    blocks: BlockMap = BlockMap(),
    log: [LogLine] = []
  ) {
    self.transfer = transfer
    ledger = BlockLedger(blocks)
    self.log = TransferLog(log)
  }

  /// Whether the heartbeat has to look after it.
  var isWatched: Bool { run != nil || transfer.state.waitsForSpace || transfer.state.waitsForTime }

  /// Takes the file that a run writes.
  ///
  /// - Returns: Whether the session has to learn of it, since it was made after the answer was told.
  mutating func own(_ file: PartialFile) -> Bool {
    self.file = file
    isWritten = true
    guard transfer.answer?.name == file.name, !transfer.state.isEnded,
      transfer.file != file.identity
    else { return false }
    transfer.file = file.identity
    return true
  }

  /// Nothing on disk is believed any more.
  mutating func forgetBytes() {
    transfer.have = ByteRangeSet()
    ledger.forgetAll()
  }

  /// What others need to know of it.
  var view: EntryView {
    EntryView(
      transfer: transfer,
      run: run,
      file: file ?? heldFile,
      log: log.news,
      ledger: ledger,
      isWritten: isWritten,
      isDistrusted: isDistrusted
    )
  }

  /// Lets go of the file at the end of a run.
  mutating func letGo() {
    heldFile = file
    file = nil
  }
}

/// The transfers of a session.
struct TransferTable {
  private(set) var entries: [TransferID: TransferEntry] = [:]
  /// Queue order.
  private(set) var order: [TransferID] = []
  /// What has taken the place of transfers that are gone.
  private(set) var successors: [TransferID: [TransferID]] = [:]
  /// Those that run, or wait for space or for their time.
  private var watched: Set<TransferID> = []

  /// Takes what a session holds.
  mutating func append(_ contents: SessionContents) {
    for transfer in contents.transfers {
      let id = transfer.id
      append(
        TransferEntry(
          transfer,
          blocks: contents.blocks[id] ?? BlockMap(),
          log: contents.logs[id] ?? []
        )
      )
    }
  }

  /// Adds transfers at the end of the queue.
  mutating func append(_ transfers: [Transfer]) {
    for transfer in transfers { append(TransferEntry(transfer)) }
  }

  private mutating func append(_ entry: TransferEntry) {
    entries[entry.transfer.id] = entry
    order.append(entry.transfer.id)
    if entry.transfer.state.waitsForSpace { watched.insert(entry.transfer.id) }
  }

  /// Takes transfers out.
  mutating func remove(_ ids: Set<TransferID>) -> [TransferEntry] {
    order.removeAll { ids.contains($0) }
    watched.subtract(ids)
    return ids.compactMap { entries.removeValue(forKey: $0) }
  }

  /// Takes one out, and others in.
  ///
  /// - Parameters:
  ///   - id: The one that goes.
  ///   - ids: All that have taken its place.
  ///   - added: Those of them that were not there yet.
  /// - Returns: Whether it was there; when not, nothing changes.
  mutating func replace(
    _ id: TransferID,
    by ids: [TransferID],
    adding added: [Transfer]
  ) -> Bool {
    guard !remove([id]).isEmpty else { return false }
    append(added)
    successors[id] = ids
    return true
  }

  /// Changes one entry in place; nil when there is no such transfer.
  mutating func update<R>(_ id: TransferID, _ change: (inout TransferEntry) -> R) -> R? {
    guard let index = entries.index(forKey: id) else { return nil }
    let result = change(&entries.values[index])
    if entries.values[index].isWatched { watched.insert(id) } else { watched.remove(id) }
    return result
  }

  /// Looks at one entry where it stands, since a copy costs a reference for each of its parts; nil
  /// when there is no such transfer.
  mutating func look<R>(_ id: TransferID, _ body: (inout TransferEntry) -> R) -> R? {
    guard let index = entries.index(forKey: id) else { return nil }
    return body(&entries.values[index])
  }

  /// The schedule of a transfer that is queued and has to keep to it.
  mutating func scheduleOfQueued(_ id: TransferID) -> Schedule? {
    let schedule = look(id) { entry -> Schedule? in
      let isBound = entry.transfer.state == .queued && !entry.isForced
      return isBound ? entry.transfer.request.schedule : nil
    }
    return schedule ?? nil
  }

  /// The entries that somebody has to look after: few, however long the queue is.
  var watchedEntries: [TransferEntry] { watched.compactMap { entries[$0] } }

  /// The entries in queue order.
  var ordered: [TransferEntry] { order.compactMap { entries[$0] } }
}
