// SPDX-License-Identifier: Apache-2.0
//
// StoredPieces: the digests of pieces in their own table, written only when they are new.
//
// Threads  the session's.
// Holds    what the table has, by transfer; the digests are shared with the transfers' and not copied.

internal import Transfers

/// The table of piece digests.
struct StoredPieces {
  private let database: Database
  private var held: [TransferID: PieceDigests] = [:]

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
      held[id] = pieces
    }
  }

  /// The digests of a transfer's pieces.
  subscript(id: TransferID) -> PieceDigests? { held[id] }

  /// Makes the table agree with a request.
  mutating func put(_ pieces: PieceDigests?, for id: TransferID) throws(SessionError) {
    guard pieces != held[id] else { return }
    if let pieces {
      try Statement(Schema.putPieces, in: database).run([
        .number(id.number), .text(pieces.algorithm.rawValue), .number(pieces.length),
        .text(hexadecimal(pieces.digests)),
      ])
    } else {
      try Statement(Schema.removePieces, in: database).run([.number(id.number)])
    }
    held[id] = pieces
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
