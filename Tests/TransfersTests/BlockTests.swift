// SPDX-License-Identifier: Apache-2.0
//
// Tests of blocks: where a set of bytes is cut, and what changes from one map to the next.

import Testing
import Transfers

private let mebi = Block.length

private func block(_ lower: Int64, _ upper: Int64, _ hash: UInt64 = 1) -> Block {
  Block(ByteRange(lower, upper), hash: hash)
}

@Suite struct Blocks {
  @Test func `a set is cut at every MiB, and its edges stay`() {
    let set = ByteRangeSet([ByteRange(5, 2 * mebi + 7), ByteRange(3 * mebi, 4 * mebi)])
    #expect(
      set.blockRanges == [
        ByteRange(5, mebi), ByteRange(mebi, 2 * mebi), ByteRange(2 * mebi, 2 * mebi + 7),
        ByteRange(3 * mebi, 4 * mebi),
      ]
    )
    #expect(ByteRangeSet().blockRanges.isEmpty)
  }

  @Test func `pieces cover a set and nothing else`() {
    let last = ByteRange(.max - 3, .max)
    let set = ByteRangeSet([ByteRange(1, 2), ByteRange(mebi - 1, mebi + 1), last])
    #expect(ByteRangeSet(set.blockRanges) == set)
    #expect(set.blockRanges.count == 4)
  }

  @Test func `a set is touched by what shares a byte with it`() {
    let set = ByteRangeSet([ByteRange(10, 20)])
    #expect(set.touches(ByteRange(19, 30)))
    #expect(!set.touches(ByteRange(20, 30)))
    #expect(!set.touches(ByteRange(15, 15)))
  }

  @Test func `a map keeps the first of blocks that overlap`() {
    let map = BlockMap([block(4, 9), block(0, 5), block(5, 6), block(7, 7)])
    #expect(map.blocks == [block(0, 5), block(5, 6)])
  }

  @Test func `pieces are known when exactly the same bytes are`() {
    let map = BlockMap([block(0, 5), block(5, 8), block(9, 12)])
    let pieces = [ByteRange(0, 5), ByteRange(5, 9), ByteRange(9, 12), ByteRange(20, 21)]
    let (known, unknown) = map.sort(pieces)
    #expect(known.blocks == [block(0, 5), block(9, 12)])
    #expect(unknown == [ByteRange(5, 9), ByteRange(20, 21)])
  }

  @Test func `a block that loses one byte is forgotten`() {
    var map = BlockMap([block(0, 5), block(5, 8), block(8, 12)])
    map.forget(ByteRange(4, 6))
    #expect(map.blocks == [block(8, 12)])
  }

  @Test func `only what changed is written`() {
    let old = BlockMap([block(0, 5), block(5, 8), block(9, 12), block(20, 30)])
    let new = BlockMap([block(0, 5), block(5, 12), block(15, 16), block(20, 30, 2)])
    let changes = new.changes(since: old)
    #expect(changes.put == [block(5, 12), block(15, 16), block(20, 30, 2)])
    #expect(changes.gone == [9])
    #expect(new.changes(since: new).isEmpty)
    #expect(BlockMap().changes(since: old).gone == [0, 5, 9, 20])
  }
}
