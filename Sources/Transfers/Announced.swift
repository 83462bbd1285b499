// SPDX-License-Identifier: Apache-2.0
//
// Announced: what servers say about a whole file beyond what identifies it: its digest, other places
// of it, the digests of its pieces.
//
// Holds    nothing that the user gave, and no secrets.
// Never    is a proof: a place is compared before it is used.

/// What was told about a file.
public struct Announced: Hashable, Sendable {
  /// The digest of the whole file.
  public var checksum: Checksum?
  /// Links that are said to serve the same bytes, most preferred first.
  public var mirrors: [Link]
  /// The digests of its pieces.
  public var pieces: PieceDigests?
  /// A document about it that has still to be read.
  public var document: Link?

  /// Makes an announcement; without arguments nothing is told.
  public init(
    checksum: Checksum? = nil,
    mirrors: [Link] = [],
    pieces: PieceDigests? = nil,
    document: Link? = nil
  ) {
    self.checksum = checksum
    self.mirrors = mirrors
    self.pieces = pieces
    self.document = document
  }
}
