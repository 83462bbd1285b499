// SPDX-License-Identifier: Apache-2.0
//
// Recorder, small files that are complete: they get their final names, many at once.
//
// Threads  `name` and `waitUntilNamed` from any; names are given on the recorder's own.
// Holds    a name is given after the bytes behind it were synced, and when the session knows the
//          transfer; that is finished with the next commit, before which the name is synced.

import Storage
import Transfers
import Workers

extension Recorder {
  /// So many files may wait for their names; whoever has one more waits.
  private static let mostUnnamed = 256

  /// Lets a complete file have its final name as soon as it is on the disk; `Report.named` tells.
  ///
  /// Blocks while very many wait for theirs, unless the flag is set.
  func name(_ id: TransferID, _ naming: Naming, unless stopped: CancellationFlag) {
    let count = unnamed.withLock { unnamed in
      unnamed.insert(id)
      return unnamed.count
    }
    marks.withLock { $0.namings[id] = naming }
    guard count >= Self.mostUnnamed else { return }
    hurry(unless: stopped) { $0.count < Self.mostUnnamed }
  }

  /// Has files shown that wait for it: those that the session knows by now, and what is left of
  /// transfers that are gone.
  func show(_ found: [Snapshot], _ kept: [TransferID: PartialFile], _ report: Report) {
    for snapshot in found {
      guard let file = snapshot.file, file.waitsForName, snapshot.transfer.file == file.identity
      else { continue }
      report.show(snapshot.transfer.id, file)
    }
    for (id, file) in kept { report.show(id, file) }
  }

  /// Blocks until a file that waits for its name had its chance to get it, or the flag is set.
  func waitUntilShown(_ id: TransferID, _ file: PartialFile, unless stopped: CancellationFlag) {
    guard file.waitsForName else { return }
    let number = marks.withLock { marks in
      marks.changed.updateValue(file, forKey: id)
      return marks.number
    }
    haste.withLock { $0.waiting += 1 }
    defer { haste.withLock { $0.waiting -= 1 } }
    stopped.withHook(
      { [written] in written.withLock { _ in } },
      during: { written.wait { $0 >= number || stopped.isCancelled ? () : nil } }
    )
  }

  /// Blocks until none of these waits for its name any more, or the flag is set.
  func waitUntilNamed(_ ids: [TransferID], unless stopped: CancellationFlag) {
    let ids = Set(ids)
    hurry(unless: stopped) { $0.isDisjoint(with: ids) }
  }

  /// Keeps the recorder from gathering until it holds.
  private func hurry(
    unless stopped: CancellationFlag,
    until condition: (Set<TransferID>) -> Bool
  ) {
    haste.withLock { $0.waiting += 1 }
    defer { haste.withLock { $0.waiting -= 1 } }
    stopped.withHook(
      { [unnamed] in unnamed.withLock { _ in } },
      during: { unnamed.wait { condition($0) || stopped.isCancelled ? () : nil } }
    )
  }

  /// Gives complete files their names, as far as they are on the disk.
  func name(
    _ namings: [TransferID: Naming],
    but broken: Set<TransferID>,
    _ report: Report
  ) {
    for (id, naming) in namings.sorted(by: { $0.key < $1.key }) where !broken.contains(id) {
      do throws(StorageError) {
        report.named(id, naming, try naming.name())
      } catch {
        report.disk(id, error.failure)
      }
    }
    if !namings.isEmpty { unnamed.withLock { $0.subtract(namings.keys) } }
  }
}
