// SPDX-License-Identifier: Apache-2.0
//
// PieceCheck: holds the pieces of a whole file against the digests that somebody gave for them.
//
// Threads  blocks the caller while it reads the file; the flag ends it between two pieces.
// Never    writes.

import Storage
import Transfers
import Workers

/// A look at every piece.
struct PieceCheck {
  let pieces: PieceDigests
  let size: ByteCount
  let file: PartialFile

  private static let bufferLength = 256 * 1024

  /// The pieces whose bytes are not right, in order; nil when the flag was set meanwhile.
  func wrong(unless flag: CancellationFlag) throws(StorageError) -> [ByteRange]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(
      byteCount: Self.bufferLength,
      alignment: 4096
    )
    defer { buffer.deallocate() }
    var wrong: [ByteRange] = []
    for index in 0..<pieces.count {
      if flag.isCancelled { return nil }
      let range = pieces.range(of: index, in: size)
      let found = try digest(of: range, buffer)
      if !found.elementsEqual(pieces.digest(of: index)) { wrong.append(range) }
    }
    return wrong
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
