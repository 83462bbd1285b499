// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine, when a transfer turns out to name others: they take its place.
//
// Holds    the session learns in one commit that it is gone and that they are there: whenever the
//          program is killed, either it is fetched again or they are, and none is there twice. One
//          that was begun already is carried on, as for the same command given again.
// Threads  any.

public import Transfers
import Workers

extension TransferEngine {
  /// Puts requests in the place of a transfer, and lets them run.
  ///
  /// - Returns: Whether that was done; false when the transfer is gone.
  func replace(_ id: TransferID, by requests: [TransferRequest]) -> Bool {
    var resumption = Resumption(all().filter { $0.id != id })
    let known = resumption.take(requests)
    let added = makeTransfers(zip(requests, known).filter { $0.1 == nil }.map(\.0))
    var new = added.map(\.id)[...]
    let ids = known.map { $0 ?? new.removeFirst() }
    guard table.withLock({ $0.replace(id, by: ids, adding: added) }) else { return false }
    recorder.remove([id], replacedBy: added.map(\.id))
    for (request, known) in zip(requests, known) {
      if let known, transfer(known)?.state.isFinished == false { renew(known, request) }
    }
    for changed in [id] + ids { settings.changed(changed) }
    start(ids)
    return true
  }

  /// The transfers that are meant by these now: others may have taken the place of some.
  public func current(_ ids: [TransferID]) -> [TransferID] {
    let successors = table.withLock { $0.successors }
    guard !successors.isEmpty else { return ids }
    return ids.flatMap { successors[$0] ?? [$0] }
  }
}
