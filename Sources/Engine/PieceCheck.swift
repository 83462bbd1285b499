// SPDX-License-Identifier: Apache-2.0
//
// PieceCheck: holds pieces of a file against the digests that somebody gave for them.
//
// Threads  blocks the caller while it reads the file.
// Never    writes.

import Storage
import Transfers

/// A look at pieces of a file.
struct PieceCheck {
  let pieces: PieceDigests
  let size: ByteCount
  let file: PartialFile

  private static let bufferLength = 256 * 1024

  /// Whether the bytes of a piece, counted from 0, are right.
  func isRight(_ index: Int) throws(StorageError) -> Bool {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.bufferLength,
      alignment: 4096
    )
    defer { buffer.deallocate() }
    let found = try digest(of: pieces.range(of: index, in: size), buffer)
    return found.elementsEqual(pieces.digest(of: index))
  }

  private func digest(
    of range: ByteRange,
    _ buffer: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> [UInt8] {
    var digest = try Digest(pieces.algorithm)
    var offset = range.lower
    while offset < range.upper {
      let count = Int(min(Int64(buffer.count), range.upper - offset))
      let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
      let read = try file.read(into: part, at: offset)
      digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<read]))
      guard read == count else { break }
      offset += Int64(count)
    }
    return digest.finish()
  }
}
