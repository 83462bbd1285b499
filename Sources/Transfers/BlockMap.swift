// SPDX-License-Identifier: Apache-2.0
//
// BlockMap: the blocks of one file whose hashes are known.
//
// Holds    blocks in rising order of their first byte; no two overlap.
// Never    more than one for each MiB and edge: 50 GiB are 51,200 of them, 1.2 MB.

/// The known blocks of a file.
public struct BlockMap: Hashable, Sendable {
  /// The blocks, in rising order.
  public private(set) var blocks: [Block] = []

  /// Makes an empty map.
  public init() {}

  /// Makes a map; of blocks that overlap the first in the file is kept.
  public init(_ blocks: [Block]) {
    for block in blocks.sorted(by: { $0.range.lower < $1.range.lower }) {
      let end = self.blocks.last?.range.upper ?? 0
      if block.range.lower >= end, !block.range.isEmpty { self.blocks.append(block) }
    }
  }

  /// Whether no block is known.
  public var isEmpty: Bool { blocks.isEmpty }

  /// Parts these pieces, in rising order, into those that are known here and those that are not.
  public func sort(_ pieces: [ByteRange]) -> (known: BlockMap, unknown: [ByteRange]) {
    var known = BlockMap()
    var unknown: [ByteRange] = []
    var rest = blocks[...]
    for piece in pieces {
      rest = rest.drop { $0.range.lower < piece.lower }
      if let first = rest.first, first.range == piece {
        known.blocks.append(first)
      } else {
        unknown.append(piece)
      }
    }
    return (known, unknown)
  }

  /// Forgets every block that has a byte of `range`.
  public mutating func forget(_ range: ByteRange) {
    blocks.removeAll { $0.range.intersection(range) != nil }
  }

  /// What has to be done to an `earlier` map to get this one.
  public func changes(since earlier: BlockMap) -> BlockChanges {
    var changes = BlockChanges()
    var old = earlier.blocks[...]
    for block in blocks {
      while let first = old.first, first.range.lower < block.range.lower {
        changes.gone.append(first.range.lower)
        old = old.dropFirst()
      }
      if let first = old.first, first.range.lower == block.range.lower {
        old = old.dropFirst()
        if first == block { continue }
      }
      changes.put.append(block)
    }
    changes.gone += old.map(\.range.lower)
    return changes
  }
}

/// How a map of blocks has changed.
public struct BlockChanges: Hashable, Sendable {
  /// The first bytes of blocks that are no more.
  public var gone: [Int64] = []
  /// Blocks that are new, or were known with another end or hash.
  public var put: [Block] = []

  /// Makes no change.
  public init() {}

  /// Whether nothing has changed.
  public var isEmpty: Bool { gone.isEmpty && put.isEmpty }
}
