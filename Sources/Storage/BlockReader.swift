// SPDX-License-Identifier: Apache-2.0
//
// BlockReader: reads blocks of a partial file and hashes them (XXH3, libxxhash).
//
// Owns     one buffer of a block's length, freed once. One thread at a time.
// Source   https://xxhash.com, `XXH3_64bits`: its results are fixed since 0.8.0.

internal import CXXHash
public import Transfers

/// Makes hashes of what is on disk.
public struct BlockReader: ~Copyable {
  private let buffer: UnsafeMutableRawBufferPointer

  /// Takes the buffer.
  public init() {
    buffer = .allocate(byteCount: Int(Block.length), alignment: 4096)
  }

  deinit { buffer.deallocate() }

  /// Reads and hashes some bytes of a file.
  ///
  /// - Parameters:
  ///   - range: At most `Block.length` bytes.
  ///   - file: Where they are.
  /// - Returns: Their hash; nil when the file ends before they do.
  /// - Throws: `StorageError` when the disk cannot read them.
  public func hash(_ range: ByteRange, in file: PartialFile) throws(StorageError) -> UInt64? {
    precondition(range.count <= Block.length, "a block is at most \(Block.length) bytes")
    let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(range.count)])
    guard try file.read(into: bytes, at: range.lower) == bytes.count else { return nil }
    return XXH3_64bits(bytes.baseAddress, bytes.count)
  }
}
