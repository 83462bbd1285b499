// SPDX-License-Identifier: Apache-2.0
//
// Block: a piece of a file on disk with the hash it had when it was made durable.
//
// Holds    no block crosses a multiple of `length`; at the edges of what is there it is shorter.
// Never    proves anything against an enemy: a 64-bit hash finds accidents.

/// Bytes that were on disk, and their hash.
public struct Block: Hashable, Sendable {
  /// The length of a whole block: 1 MiB.
  public static let length: Int64 = 1024 * 1024

  /// Which bytes.
  public let range: ByteRange
  /// Their hash (XXH3, 64 bits).
  public let hash: UInt64

  /// Makes a block.
  public init(_ range: ByteRange, hash: UInt64) {
    self.range = range
    self.hash = hash
  }
}

extension ByteRangeSet {
  /// The set, cut at every multiple of `Block.length`, in rising order.
  public var blockRanges: [ByteRange] {
    ranges.flatMap { range in
      stride(from: range.lower / Block.length, through: (range.upper - 1) / Block.length, by: 1)
        .map { number in
          let start = number * Block.length
          // The last block of a file may end where the numbers do.
          let (end, isBeyond) = start.addingReportingOverflow(Block.length)
          return ByteRange(max(range.lower, start), isBeyond ? range.upper : min(range.upper, end))
        }
    }
  }
}
