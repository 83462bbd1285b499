// SPDX-License-Identifier: Apache-2.0
//
// Recorder: the one thread that writes the session.
//
// Whoever changes a transfer marks it; the recorder takes all marks at once, looks at the transfers
// as they are now, makes their bytes durable, and commits the lot in one transaction. So many small
// files cost one commit together, and a claim is never older than the bytes behind it.
//
// Owns     the session, from `init` to `close`.
// Threads  `mark` and `remove` from any; the rest on the recorder's own.
// Holds    snapshot, then sync, then commit: the session never claims a byte that a power cut takes.

import Storage
import Synchronization
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
}

/// A transfer as it is at one moment.
struct Snapshot: Sendable {
  let transfer: Transfer
  /// What has to be durable before it may be written down.
  let claim: Claim
}

/// Whom the recorder tells what went wrong.
struct Report: Sendable {
  /// The session could not be written; the change is tried again in a second.
  let session: @Sendable (SessionError) -> Void
  /// The bytes of a transfer could not be made durable.
  let disk: @Sendable (TransferID, Failure) -> Void
}

/// Writes changes of transfers into the session.
final class Recorder: Sendable {
  private struct Marks {
    var claims: [TransferID: Claim] = [:]
    var removed: [TransferID] = []
    var isClosing = false

    var isEmpty: Bool { claims.isEmpty && removed.isEmpty }
  }

  private let marks = Monitor(Marks())
  /// Apart from the marks, so that a mark does not wake a recorder that gathers.
  private let isClosing = Monitor(false)
  private let session: Mutex<Session?>
  private let thread = Mutex<WorkerThread?>(nil)
  /// Between two commits at least this long, so that marks gather.
  private static let gathering = Duration.milliseconds(20)
  /// After a commit that failed.
  private static let patience = Duration.seconds(1)

  /// Takes the session over; `start` begins to write it.
  init(_ session: sending Session) {
    self.session = Mutex(session)
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

  /// Notes that a transfer has changed.
  func mark(_ id: TransferID, _ claim: Claim) {
    marks.withLock { marks in
      if case .words = claim, marks.claims[id] != nil { return }
      marks.claims[id] = claim
    }
  }

  /// Notes that transfers are gone.
  func remove(_ ids: [TransferID]) {
    marks.withLock { marks in
      for id in ids { marks.claims[id] = nil }
      marks.removed += ids
    }
  }

  /// Writes what is marked, closes the session and joins the thread.
  func close() {
    marks.withLock { $0.isClosing = true }
    isClosing.withLock { $0 = true }
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
      write(batch, to: session, snapshot, report)
      rest(Self.gathering)
    }
  }

  /// Waits, but not when the recorder closes.
  private func rest(_ time: Duration) {
    _ = isClosing.wait(for: time) { $0 ? () : nil }
  }

  /// Blocks until something is marked; nil when all is written and the recorder closes.
  private func take() -> Marks? {
    marks.wait { marks -> Marks?? in
      if marks.isEmpty { return marks.isClosing ? .some(nil) : nil }
      let taken = marks
      marks.claims = [:]
      marks.removed = []
      return taken
    }
  }

  private func write(
    _ batch: Marks,
    to session: Session,
    _ snapshot: (TransferID) -> Snapshot?,
    _ report: Report
  ) {
    let found = batch.claims.keys.sorted().compactMap(snapshot)
    let broken = sync(claims(batch, found), report)
    let changes = found.map(\.transfer).filter { !broken.contains($0.id) }
      .map { SessionChange.put($0) }
    do throws(SessionError) {
      try session.apply(changes + batch.removed.map { .remove($0) })
    } catch {
      report.session(error)
      retry(batch)
    }
  }

  /// Words alone need nothing on disk, but the transfer may have got bytes since they were marked.
  private func claims(_ batch: Marks, _ found: [Snapshot]) -> [TransferID: Claim] {
    var claims = batch.claims
    for snapshot in found {
      if case .words? = claims[snapshot.transfer.id] {
        claims[snapshot.transfer.id] = snapshot.claim
      }
    }
    return claims
  }

  /// Makes bytes durable.
  ///
  /// - Returns: The transfers whose bytes the disk refused; nothing is claimed for them.
  private func sync(_ claims: [TransferID: Claim], _ report: Report) -> Set<TransferID> {
    var broken: Set<TransferID> = []
    var together: [String: [TransferID]] = [:]
    for (id, claim) in claims {
      switch claim {
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
      marks.claims.merge(batch.claims) { newer, _ in newer }
      marks.removed += batch.removed
      return false
    }
    if !isClosing { rest(Self.patience) }
  }
}
