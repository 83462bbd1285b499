// SPDX-License-Identifier: Apache-2.0
//
// StoredBlocks: the known blocks of transfers, a row for each.
//
// Owns     two prepared statements. Threads: the session's.
// Never    reads what makes no sense: bytes without a hash are only less well proved.

internal import Transfers

/// The rows of blocks.
struct StoredBlocks: ~Copyable {
  private let put: Statement
  private let remove: Statement

  init(_ database: Database) throws(SessionError) {
    let put = try Statement(Schema.putBlock, in: database)
    remove = try Statement(Schema.removeBlock, in: database)
    self.put = put
  }

  /// Writes what has changed of a transfer's blocks.
  func apply(_ changes: BlockChanges, for id: TransferID) throws(SessionError) {
    for lower in changes.gone { try remove.run([.number(id.number), .number(lower)]) }
    for block in changes.put {
      try put.run([
        .number(id.number), .number(block.range.lower), .number(block.range.upper),
        .number(Int64(bitPattern: block.hash)),
      ])
    }
  }

  /// Reads all blocks.
  static func load(_ database: Database) throws(SessionError) -> [TransferID: BlockMap] {
    let row = try Statement(Schema.loadBlocks, in: database)
    var found: [TransferID: [Block]] = [:]
    while try row.step() {
      guard let id = row.number(0), let lower = row.number(1), let upper = row.number(2),
        let hash = row.number(3), 0 <= lower, lower < upper, upper - lower <= Block.length
      else { continue }
      let block = Block(ByteRange(lower, upper), hash: UInt64(bitPattern: hash))
      found[TransferID(id), default: []].append(block)
    }
    return found.mapValues { BlockMap($0) }
  }
}
