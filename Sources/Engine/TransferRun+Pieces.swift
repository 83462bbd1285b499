// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, when digests of pieces are known: a piece that differs is fetched again alone.
//
// Rules    A source that brought a wrong piece is set aside as long as there is another one. After
//          three rounds what still differs stays, and the run ends as with a wrong digest.
// Threads  the run's own thread, after every other worker has left.

import Storage
import Transfers
import Workers

extension TransferRun {
  private static let pieceRounds = 3

  /// Makes the pieces right, as far as the sources have them.
  func mendPieces() throws(Failure) {
    for round in 0...Self.pieceRounds {
      guard let wrong = try wrongPieces() else { return }
      core.withLock { $0.wrongPieces = wrong.count }
      guard !wrong.isEmpty, round < Self.pieceRounds else { return }
      context.note("\(wrong.count) pieces differ from their digests and are fetched again")
      let (asides, checksum) = core.withLock { $0.drop(pieces: wrong) }
      for aside in asides { act(aside) }
      checksum?.cancel()
      work(0)
      waitForWorkers()
    }
  }

  /// The pieces that are not right; nil when there is nothing to look at.
  private func wrongPieces() throws(Failure) -> [ByteRange]? {
    let (isComplete, file) = core.withLock { ($0.ending == nil && $0.plan.isComplete, $0.file) }
    guard isComplete, let file, let pieces = transfer.request.pieces,
      let size = transfer.request.size
    else { return nil }
    do throws(StorageError) {
      return try PieceCheck(pieces: pieces, size: size, file: file).wrong(unless: stopped)
    } catch {
      throw error.failure
    }
  }
}

extension RunCore {
  /// Notes which source brought bytes, when that may be asked for.
  mutating func credit(_ number: Int, _ range: ByteRange) {
    guard request.pieces != nil, let source = live[number]?.source else { return }
    sources[source].gave.insert(range)
  }

  /// Gives wrong pieces up, and with them the sources that brought them.
  ///
  /// The digest that ran along has taken wrong bytes; it is made anew from the disk at the end.
  fileprivate mutating func drop(pieces: [ByteRange]) -> ([Aftermath], RunningChecksum?) {
    let failure = Failure(.checksumDiffers, detail: "a piece of it differs from its digest")
    let culprits = sources.indices.filter { source in
      pieces.contains { sources[source].gave.touches($0) }
    }
    for piece in pieces {
      plan.forget(piece)
      for source in sources.indices { sources[source].gave.remove(piece) }
    }
    defer { checksum = nil }
    workers += 1
    return (culprits.compactMap { setAside($0, failure) }, checksum)
  }
}
