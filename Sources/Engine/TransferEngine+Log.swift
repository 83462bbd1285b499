// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine, logs: what each transfer's own log takes in, and when the session learns of it.
//
// Holds    lines go into the session with whatever is written next of their transfer, at the latest
//          a second later; a short plain course never does.
// Threads  any.

public import Transfers
import Workers

extension TransferEngine {
  /// From this length on a run's log is kept, also when it is plain.
  static let longRun = Duration.seconds(1)

  /// The last lines of a transfer's log, oldest first.
  public func log(of id: TransferID) -> [LogLine] {
    (table.withLock { $0.look(id) { $0.log.entries } } ?? []).compactMap(\.line)
  }

  func note(_ id: TransferID, _ text: String) {
    log(id, .note(text))
  }

  func log(_ id: TransferID, _ matter: LogEntry.Matter) {
    let line = LogEntry(at: settings.clock.wall(), matter: matter)
    _ = table.withLock { table in table.update(id) { $0.log.note(line) } }
  }

  /// Has the recorder write what running transfers have got, and what their logs tell.
  func rememberProgress(_ entries: [TransferEntry]) {
    let now = settings.clock.now()
    for entry in entries {
      guard let run = entry.run else { continue }
      let id = entry.transfer.id
      if now - run.began >= Self.longRun, !entry.log.isKept { keepLog(id) }
      if let file = entry.file {
        recorder.mark(id, keeping: file)
      } else if entry.log.news != nil {
        recorder.mark(id)
      }
    }
  }

  private func keepLog(_ id: TransferID) {
    _ = table.withLock { table in table.update(id) { $0.log.keep() } }
  }

  /// Notes how many lines of each log the session knows now.
  func logged(_ counts: [TransferID: Int]) {
    table.withLock { table in
      for (id, count) in counts { _ = table.update(id) { $0.log.stored(count) } }
    }
  }
}
