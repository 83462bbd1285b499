// SPDX-License-Identifier: Apache-2.0
//
// PieceDigests: digests of a file's parts, all of one length but the last.
//
// Holds    as many whole digests as the file has pieces, one after another.
// Never    computes anything; Storage does, with libcrypto.
// Source   RFC 5854, section 4.1.3.

/// The digests of a file's pieces.
public struct PieceDigests: Hashable, Sendable {
  /// How each is computed.
  public let algorithm: ChecksumAlgorithm
  /// The bytes of a piece, at least 1; the last may be shorter.
  public let length: Int64
  /// The digests in the order of the pieces, joined.
  public let digests: [UInt8]

  /// Makes the digests; nil without a piece, without a length, or when they are not whole.
  public init?(algorithm: ChecksumAlgorithm, length: Int64, digests: [UInt8]) {
    guard length > 0, !digests.isEmpty, digests.count.isMultiple(of: algorithm.byteCount)
    else { return nil }
    self.algorithm = algorithm
    self.length = length
    self.digests = digests
  }

  /// How many pieces there are.
  public var count: Int { digests.count / algorithm.byteCount }

  /// Whether they can be those of a file of this many bytes.
  public func fit(_ size: ByteCount) -> Bool {
    let (pieces, rest) = size.bytes.quotientAndRemainder(dividingBy: length)
    return pieces + (rest > 0 ? 1 : 0) == Int64(count)
  }

  /// The bytes of piece `index`, from 0, in a file of `size` bytes.
  public func range(of index: Int, in size: ByteCount) -> ByteRange {
    let start = Int64(index) * length
    return ByteRange(start, min(start + length, size.bytes))
  }

  /// The digest of piece `index`, from 0.
  public func digest(of index: Int) -> ArraySlice<UInt8> {
    digests[index * algorithm.byteCount..<(index + 1) * algorithm.byteCount]
  }
}
