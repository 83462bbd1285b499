// SPDX-License-Identifier: Apache-2.0
//
// SampleBlocks: which bytes on disk another link has to have as well before its own are taken.
//
// Rule     Three blocks of 64 KiB, at the beginning, in the middle and at the end of what is on disk
//          (gaps left out); fewer or shorter ones when less is there.
// Threads  pure.

import Transfers

/// The choice of blocks to compare.
enum SampleBlocks {
  /// The length of a block.
  static let length = OverlapProof.length
  /// With so many bytes on disk all three blocks are there.
  static let enough = 3 * length

  /// The blocks for what is on disk, in rising order; none overlaps another.
  static func of(_ have: ByteRangeSet) -> [ByteRange] {
    let count = have.count
    let places = [0, (count - length) / 2, count - length]
    var blocks: [ByteRange] = []
    for place in places {
      guard let block = block(at: max(0, place), in: have) else { continue }
      let lower = max(block.lower, blocks.last?.upper ?? 0)
      if lower < block.upper { blocks.append(ByteRange(lower, block.upper)) }
    }
    return blocks
  }

  /// The block in which the byte at `place` lies, counted over the bytes that are there.
  private static func block(at place: Int64, in have: ByteRangeSet) -> ByteRange? {
    var passed: Int64 = 0
    for range in have.ranges {
      if place < passed + range.count {
        let wish = range.lower + (place - passed)
        let lower = max(range.lower, min(wish, range.upper - length))
        return ByteRange(lower, min(range.upper, lower + length))
      }
      passed += range.count
    }
    return nil
  }
}
