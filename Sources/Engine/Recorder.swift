// SPDX-License-Identifier: Apache-2.0
//
// Recorder: the one thread that writes the session.
//
// Whoever changes a transfer marks it; the recorder takes all marks at once, looks at the transfers
// as they are now, makes their bytes durable, and commits the lot in one transaction. So many small
// files cost one commit together, and a claim is never older than the bytes behind it.
//
// Owns     the session, from `init` to `close`.
// Threads  `mark`, `remove` and `waitUntilUnclaimed` from any; the rest on the recorder's own.
// Holds    snapshot, then sync, then commit: the session never claims a byte that a power cut takes.
//          Nor one that a new beginning overwrites: who drops bytes waits until the claim is gone.
//          Small files that are complete get their names after that, so that what has its final name
//          is on the disk; they are finished with the next commit.

import Storage
import Transfers
import Workers

/// What has to be durable before a transfer's row may say so.
enum Claim: Sendable {
  /// Nothing on disk belongs to this change.
  case words
  /// The bytes of this file.
  case bytes(PartialFile)
  /// The bytes of this file and the name it got.
  case finished(PartialFile)
  /// Small files in this directory; they are synced together.
  case directory(String)

  /// Files from this size on are synced one by one.
  static let aloneFrom: Int64 = 1024 * 1024
}

/// A transfer as it is at one moment.
struct Snapshot: Sendable {
  let transfer: Transfer
  /// What has to be durable before it may be written down.
  let claim: Claim
  /// The file, as long as somebody has it open.
  let file: PartialFile?
  /// What the session has to learn of its log.
  let log: LogNews?
  /// Where its blocks are noted.
  let ledger: BlockLedger
  /// The ledger's revision before the transfer was looked at.
  let revision: Int
}

/// Whom the recorder tells what went wrong.
struct Report: Sendable {
  /// The session could not be written; the change is tried again in a second.
  let session: @Sendable (SessionError) -> Void
  /// So many lines of these logs are in the session.
  let logged: @Sendable ([TransferID: Int]) -> Void
  /// The bytes of a transfer could not be made durable, or its file got no name.
  let disk: @Sendable (TransferID, Failure) -> Void
  /// A file waits for its name, and the session knows whose it is.
  let show: @Sendable (TransferID, PartialFile) -> Void
  /// A complete file got its final name.
  let named: @Sendable (TransferID, Naming, String) -> Void
}

/// Writes changes of transfers into the session.
final class Recorder: Sendable {
  struct Marks {
    /// What changed, with the file that has to stay open until it is synced.
    var changed: [TransferID: PartialFile?] = [:]
    /// What is complete, and has to be on the disk before it gets its name.
    var namings: [TransferID: Naming] = [:]
    var removed: [TransferID] = []
    /// Files of removed transfers that are kept, and have no name yet.
    var kept: [TransferID: PartialFile] = [:]
    /// Counts the batches that were taken.
    var number = 0
    var usage: DayUsage?
    var hosts: [KnownHost]?
    var isClosing = false

    var isEmpty: Bool {
      changed.isEmpty && namings.isEmpty && removed.isEmpty && kept.isEmpty && usage == nil
        && hosts == nil
    }

    /// What concerns no single transfer.
    var others: [SessionChange] {
      [usage.map { .use($0) }, hosts.map { .hosts($0) }].compactMap(\.self)
    }
  }

  let marks = Monitor(Marks())
  /// Apart from the marks, so that a mark does not wake a recorder that gathers.
  let haste = Monitor(Haste())
  /// Transfers whose files wait for their names, each with an open descriptor or two.
  let unnamed = Monitor<Set<TransferID>>([])
  /// The number of the last batch that was written, or could not be.
  let written = Monitor(-1)
  /// Transfers of which the session claims bytes, or may do so after the commit that is under way.
  private let claimed: Monitor<Set<TransferID>>
  private let session: Monitor<Session?>
  private let thread = Monitor<WorkerThread?>(nil)
  /// Between two commits at least this long, so that marks gather; on a slow disk longer.
  static let gathering = Duration.milliseconds(20)
  private static let longestGathering = Duration.milliseconds(500)
  /// After a commit that failed.
  private static let patience = Duration.seconds(1)

  /// Takes the session over, with what it holds; `start` begins to write it.
  init(_ session: sending Session, remembered: [Transfer]) {
    self.session = Monitor(session)
    claimed = Monitor(Set(remembered.filter(\.isClaiming).map(\.id)))
  }

  /// Starts the thread.
  ///
  /// - Parameters:
  ///   - snapshot: The transfer as it is now; nil when it is gone.
  ///   - report: Told what went wrong.
  /// - Throws: `ThreadError` when the system refuses.
  func start(
    snapshot: @escaping @Sendable (TransferID) -> Snapshot?,
    report: Report
  ) throws(ThreadError) {
    let worker = try WorkerThread.start(name: "recorder") { [self] in
      record(snapshot, report)
    }
    thread.withLock { $0 = worker }
  }

  /// Notes that a transfer has changed; a file given stays open until that is written.
  func mark(_ id: TransferID, keeping file: PartialFile? = nil) {
    marks.withLock { marks in
      let kept = marks.changed[id] ?? nil
      marks.changed.updateValue(file ?? kept, forKey: id)
    }
  }

  /// Blocks until the session claims no byte of a transfer, of which nobody says any more that it
  /// has one.
  ///
  /// - Parameters:
  ///   - id: Whose bytes are about to be dropped.
  ///   - stopped: Ends the wait.
  /// - Returns: Whether that is so; false when the wait was ended.
  func waitUntilUnclaimed(_ id: TransferID, unless stopped: CancellationFlag) -> Bool {
    mark(id)
    return stopped.withHook(
      { [claimed] in claimed.withLock { _ in } },
      during: {
        claimed.wait { claimed -> Bool? in
          if !claimed.contains(id) { return true }
          return stopped.isCancelled ? false : nil
        }
      }
    )
  }

  /// Notes what is known of hosts now.
  func know(_ hosts: [KnownHost]) {
    marks.withLock { $0.hosts = hosts }
  }

  /// Notes how much was received today.
  func use(_ usage: DayUsage) {
    marks.withLock { $0.usage = usage }
  }

  /// Notes that transfers are gone, and that others, in the same commit, have taken their place.
  ///
  /// - Parameters:
  ///   - ids: Those that are gone.
  ///   - others: Those that have taken their place.
  ///   - kept: Their files that wait for a name and are to have it.
  func remove(
    _ ids: [TransferID],
    replacedBy others: [TransferID] = [],
    keeping kept: [TransferID: PartialFile] = [:]
  ) {
    marks.withLock { marks in
      marks.kept.merge(kept) { $1 }
      for id in others { marks.changed.updateValue(nil, forKey: id) }
      for id in ids {
        marks.changed.removeValue(forKey: id)
        marks.namings.removeValue(forKey: id)
      }
      marks.removed += ids
    }
    unnamed.withLock { $0.subtract(ids) }
  }

  /// Writes what is marked, closes the session and joins the thread.
  func close() {
    marks.withLock { $0.isClosing = true }
    haste.withLock { $0.isClosing = true }
    let worker = thread.withLock { held -> WorkerThread? in
      defer { held = nil }
      return held
    }
    worker?.join()
  }
}

extension Recorder {
  /// The thread's body.
  private func record(_ snapshot: @Sendable (TransferID) -> Snapshot?, _ report: Report) {
    guard let session = session.withLock({ $0.take() }) else { return }
    while let batch = take() {
      // Before anything is looked at, so that who has dropped bytes meanwhile waits.
      claimed.withLock { $0.formUnion(batch.changed.keys) }
      let start = ContinuousClock.now
      withExtendedLifetime(batch) { write(batch, to: session, snapshot, report) }
      written.withLock { $0 = batch.number }
      let took = ContinuousClock.now - start
      rest(min(max(Self.gathering, took * 2), Self.longestGathering))
    }
  }

  /// Waits, but not when somebody waits for the recorder.
  private func rest(_ time: Duration) {
    _ = haste.wait(for: time) { $0.isClosing || $0.waiting > 0 ? () : nil }
  }

  /// Blocks until something is marked; nil when all is written and the recorder closes.
  private func take() -> Marks? {
    marks.wait { marks -> Marks?? in
      if marks.isEmpty { return marks.isClosing ? .some(nil) : nil }
      let taken = marks
      marks.changed = [:]
      marks.namings = [:]
      marks.removed = []
      marks.kept = [:]
      marks.number += 1
      marks.usage = nil
      marks.hosts = nil
      return taken
    }
  }

  private func write(
    _ batch: Marks,
    to session: Session,
    _ snapshot: (TransferID) -> Snapshot?,
    _ report: Report
  ) {
    let found = batch.changed.keys.sorted().compactMap(snapshot)
    let broken = sync(found, batch.namings, report)
    let sound = broken.isEmpty ? found : found.filter { !broken.contains($0.transfer.id) }
    let hashed = sound.compactMap(hash)
    let isKept = commit(batch, sound, hashed, but: broken, to: session, report)
    // Without a session they are named all the same.
    show(found.filter { batch.namings[$0.transfer.id] == nil }, batch.kept, report)
    name(batch.namings, but: broken, report)
    if !isKept { retry(batch) }
  }

  private func commit(
    _ batch: Marks,
    _ sound: [Snapshot],
    _ hashed: [HashedBlocks],
    but broken: Set<TransferID>,
    to session: Session,
    _ report: Report
  ) -> Bool {
    do throws(SessionError) {
      try session.apply(
        sound.map { .put($0.transfer) } + hashed.map(\.change) + sound.compactMap(\.logChange)
          + batch.removed.map { .remove($0) } + batch.others
      )
    } catch {
      report.session(error)
      return false
    }
    tellLogged(sound, report)
    for each in hashed { each.ledger.stored(each.blocks) }
    let claiming = sound.lazy.filter(\.transfer.isClaiming).map(\.transfer.id)
    claimed.withLock { claimed in
      claimed.subtract(Set(batch.changed.keys).subtracting(broken).subtracting(claiming))
      claimed.subtract(batch.removed)
    }
    return true
  }

  private func tellLogged(_ written: [Snapshot], _ report: Report) {
    let counts = written.compactMap { each in each.log.map { (each.transfer.id, $0.count) } }
    if !counts.isEmpty { report.logged(Dictionary(uniqueKeysWithValues: counts)) }
  }

  /// Makes bytes durable.
  ///
  /// - Returns: The transfers whose bytes the disk refused; nothing is claimed for them.
  private func sync(
    _ found: [Snapshot],
    _ namings: [TransferID: Naming],
    _ report: Report
  ) -> Set<TransferID> {
    var broken: Set<TransferID> = []
    var together: [String: [TransferID]] = [:]
    for (id, naming) in namings where !naming.isSynced {
      together[naming.file.directoryPath, default: []].append(id)
    }
    for snapshot in found {
      let id = snapshot.transfer.id
      switch snapshot.claim {
      case .words:
        break
      case .directory(let path):
        together[path, default: []].append(id)
      case .bytes(let file):
        if !isSynced([id], report, { () throws(StorageError) in try file.sync() }) {
          broken.insert(id)
        }
      case .finished(let file):
        if !isSynced([id], report, { () throws(StorageError) in try file.sync() }) {
          broken.insert(id)
        }
        file.syncDirectory()
      }
    }
    for (path, ids) in together
    where !isSynced(ids, report, { () throws(StorageError) in try Disk.syncAll(path) }) {
      broken.formUnion(ids)
    }
    return broken
  }

  private func isSynced(
    _ ids: [TransferID],
    _ report: Report,
    _ sync: () throws(StorageError) -> Void
  ) -> Bool {
    do throws(StorageError) {
      try sync()
      return true
    } catch {
      for id in ids { report.disk(id, error.failure) }
      return false
    }
  }

  private func retry(_ batch: Marks) {
    let isClosing = marks.withLock { marks -> Bool in
      if marks.isClosing { return true }
      marks.changed.merge(batch.changed) { newer, older in newer ?? older }
      marks.removed += batch.removed
      marks.usage = marks.usage ?? batch.usage
      marks.hosts = marks.hosts ?? batch.hosts
      return false
    }
    if !isClosing { rest(Self.patience) }
  }
}

extension Snapshot {
  fileprivate var logChange: SessionChange? {
    log.map { .log(transfer.id, $0.entries.compactMap(\.line)) }
  }
}

extension Transfer {
  /// Whether another run would take bytes on disk for its own.
  fileprivate var isClaiming: Bool { !have.isEmpty && !state.isFinished }
}
