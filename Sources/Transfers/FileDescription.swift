// SPDX-License-Identifier: Apache-2.0
//
// FileDescription: what a document, such as a Metalink, says of one file.
//
// Never    is believed before the file's length was found to be the same.

/// One file of a document.
public struct FileDescription: Hashable, Sendable {
  /// The name, without a slash; nil when none is told.
  public let name: String?
  /// The length; nil when none is told.
  public let size: ByteCount?
  /// Its digest, other places of it, the digests of its pieces.
  public let announced: Announced

  /// Makes a description.
  public init(name: String?, size: ByteCount?, announced: Announced) {
    self.name = name
    self.size = size
    self.announced = announced
  }
}

/// What a document says of its files.
public struct DescribedFiles: Hashable, Sendable {
  /// Those that can be used.
  public let files: [FileDescription]
  /// Why some cannot be used, or the document not be read to its end; nil when nothing is wrong.
  public let problem: String?

  /// Makes a description of files.
  public init(_ files: [FileDescription] = [], problem: String? = nil) {
    self.files = files
    self.problem = problem
  }
}
