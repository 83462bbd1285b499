// SPDX-License-Identifier: Apache-2.0
//
// ListEntry: what a list says about one file.
//
// Holds    the links that serve it, and whatever the list says beside them; nil is "not said".
// Any thread. Never knows the command line; LinkRequests joins the two.

import Transfers

/// One file of a list.
struct ListEntry: Hashable, Sendable {
  /// Where the file is, at least one link; the first was asked for, the others are its mirrors.
  var links: [Link]
  /// The directory to save in; a relative one begins at the directory of the command line.
  var directory: String?
  /// The name to save under, without a slash.
  var name: String?
  /// The digest the file must have.
  var checksum: Checksum?
  /// How many bytes the file has.
  var size: ByteCount?
  /// The digests of its pieces.
  var pieces: PieceDigests?
  /// Header fields for the origin of the first link.
  var headers: [HeaderField] = []
  /// The most bytes per second.
  var rateLimit: ByteRate?
  /// Which certificates are believed.
  var trust: Trust?
  /// Whether `https://` was put before a link that had no scheme.
  var isCompleted = false

  /// Takes a path as `--output` does: directory and name.
  ///
  /// - Parameter path: Such as `x.iso` or `sub/x.iso`.
  /// - Throws: `ListProblem.notAFileName` for what names a directory or nothing.
  mutating func save(as path: String) throws(ListProblem) {
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    let last = String(path[start...])
    guard !["", ".", "..", "-"].contains(last) else { throw .notAFileName }
    name = last
    guard start > path.startIndex else { return }
    let folder = path[..<start]
    let inner = folder == "/" ? "/" : String(folder.dropLast())
    directory = Options.path(inner, in: directory ?? "")
  }
}
