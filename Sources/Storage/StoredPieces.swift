// SPDX-License-Identifier: Apache-2.0
//
// StoredPieces: the digests of pieces in their own table, written only when they are new.
//
// Threads  the session's.
// Holds    what the table has, by transfer; the digests are shared with the transfers' and not copied.

internal import Transfers

/// The table of piece digests.
struct StoredPieces {
  /// Digests, and whether a server told them; else they are the request's.
  private struct Held: Equatable {
    let pieces: PieceDigests
    let isTold: Bool
  }

  private let database: Database
  private var held: [TransferID: Held] = [:]

  /// Reads the table.
  ///
  /// - Throws: `SessionError.damaged` for a row that makes no sense.
  init(_ database: Database) throws(SessionError) {
    self.database = database
    let rows = try Statement(Schema.loadPieces, in: database)
    while try rows.step() {
      let id = TransferID(rows.number(0) ?? 0)
      guard let pieces = Self.pieces(rows) else {
        let detail = "transfer \(id.number) has unreadable pieces"
        throw .damaged(path: database.path, detail: detail)
      }
      held[id] = Held(pieces: pieces, isTold: rows.number(4) != 0)
    }
  }

  /// Puts a transfer's digests where they belong.
  func give(to transfer: inout Transfer) {
    guard let held = held[transfer.id] else { return }
    if held.isTold {
      transfer.announce { $0.pieces = held.pieces }
    } else {
      transfer.request.pieces = held.pieces
    }
  }

  /// Makes the table agree with a transfer.
  mutating func put(_ transfer: Transfer) throws(SessionError) {
    let (id, wanted) = (transfer.id, Self.wanted(transfer))
    guard wanted != held[id] else { return }
    if let wanted {
      try Statement(Schema.putPieces, in: database).run([
        .number(id.number), .text(wanted.pieces.algorithm.rawValue), .number(wanted.pieces.length),
        .text(hexadecimal(wanted.pieces.digests)), .number(wanted.isTold ? 1 : 0),
      ])
    } else {
      try Statement(Schema.removePieces, in: database).run([.number(id.number)])
    }
    held[id] = wanted
  }

  private static func wanted(_ transfer: Transfer) -> Held? {
    if let pieces = transfer.request.pieces { return Held(pieces: pieces, isTold: false) }
    return transfer.answer?.announced.pieces.map { Held(pieces: $0, isTold: true) }
  }

  /// Notes that a transfer is gone; its row goes with it.
  mutating func forget(_ id: TransferID) {
    // Asked first, so that the table is not copied for the many that have none.
    if held[id] != nil { held[id] = nil }
  }

  private static func pieces(_ row: borrowing Statement) -> PieceDigests? {
    guard let algorithm = row.text(1).flatMap(ChecksumAlgorithm.init(rawValue:)),
      let digests = row.text(3).flatMap(bytes(fromHexadecimal:))
    else { return nil }
    return PieceDigests(algorithm: algorithm, length: row.number(2) ?? 0, digests: digests)
  }
}
