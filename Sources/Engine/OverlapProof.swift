// SPDX-License-Identifier: Apache-2.0
//
// OverlapProof: compares the first bytes of an answer with bytes that are on disk already.
//
// Where validators are missing, weak or move, this is what shows that new bytes belong to the old
// ones: the request begins a little before the gap, and nothing is written until all of the overlap
// has been found equal.
//
// Threads  its connection's only. Never writes.

import Storage
import Transfers

/// A comparison that is going on.
struct OverlapProof {
  /// How many bytes before a gap are asked for again.
  static let length: Int64 = 64 * 1024

  private let file: PartialFile
  private var offset: Int64
  private let end: Int64

  /// Compares the bytes of `range`, which are on disk.
  init(_ range: ByteRange, in file: PartialFile) {
    self.file = file
    offset = range.lower
    end = range.upper
  }

  /// Whether every byte has been compared.
  var isComplete: Bool { offset >= end }

  /// Compares the next bytes of the answer.
  ///
  /// - Parameter bytes: In the order they came; those behind the overlap are left alone.
  /// - Returns: How many of them belong to the overlap; nil when they differ from the disk's.
  /// - Throws: `StorageError` when the disk cannot be read.
  mutating func compare(_ bytes: UnsafeRawBufferPointer) throws(StorageError) -> Int? {
    let count = Int(min(Int64(bytes.count), end - offset))
    let known = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, count), alignment: 16)
    defer { known.deallocate() }
    var filled = 0
    while filled < count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: known[filled..<count])
      let more = try file.read(into: rest, at: offset + Int64(filled))
      guard more > 0 else { return nil }
      filled += more
    }
    guard known[..<count].elementsEqual(bytes[..<count]) else { return nil }
    offset += Int64(count)
    return count
  }
}
