// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, when digests of pieces are known: a piece that differs is fetched again alone, as soon
// as it has been found out.
//
// Threads  pieces are offered on every worker's thread and checked on one of their own; what is left
//          at the end, on the run's own after every other worker has left.

import Storage
import Transfers
import Workers

extension TransferRun {
  /// Has the pieces that these bytes have made whole checked beside the download.
  func checkPieces(touching range: ByteRange) {
    let found = core.withLock { $0.piecesToCheck(touching: range) }
    pieceWatch.offer(found) { [self] in check($0) }
  }

  /// What cannot be read is left to the end.
  private func check(_ index: Int) {
    let (pieces, generation) = core.withLock { ($0.pieceCheck, $0.generation) }
    guard let isRight = try? pieces?.isRight(index) else { return }
    let loss = core.withLock { $0.judge(piece: index, isRight: isRight, in: generation) }
    guard let loss else { return }
    lose(loss)
    signal()
  }

  private func lose(_ loss: PieceLoss) {
    let words = loss.count == 1 ? "a piece differs" : "\(loss.count) pieces differ"
    context.note("\(words) from the digest and is fetched again")
    // Else what is fetched again would be compared with the hashes of the wrong bytes.
    for range in loss.ranges { context.ledger.audited(range, isRight: false) }
    for aside in loss.asides { act(aside) }
    loss.checksum?.cancel()
  }

  /// Makes the pieces right, as far as the sources have them.
  func mendPieces() throws(Failure) {
    pieceWatch.end()
    while let wrong = try wrongPieces() {
      let loss = core.withLock { core -> PieceLoss? in
        core.wrongPieces = wrong.count
        guard let loss = core.giveUp(pieces: wrong) else { return nil }
        core.workers += 1
        return loss
      }
      guard let loss else { return }
      lose(loss)
      work(0)
      waitForWorkers()
      pieceWatch.end()
    }
  }

  /// The pieces that are not right; nil when there is nothing to look at.
  private func wrongPieces() throws(Failure) -> [Int]? {
    let (check, left) = core.withLock { core -> (PieceCheck?, [Int]) in
      guard core.ending == nil, core.plan.isComplete else { return (nil, []) }
      return (core.pieceCheck, core.piecesToCheck(touching: core.plan.whole))
    }
    guard let check else { return nil }
    var wrong: [Int] = []
    for index in left where !stopped.isCancelled {
      let isRight = try isRight(index, check)
      if !isRight { wrong.append(index) }
      core.withLock { core in
        if isRight { core.pieceBook.right.insert(index) }
      }
    }
    return stopped.isCancelled ? nil : wrong
  }

  private func isRight(_ index: Int, _ check: PieceCheck) throws(Failure) -> Bool {
    do throws(StorageError) {
      return try check.isRight(index)
    } catch {
      throw error.failure
    }
  }
}
