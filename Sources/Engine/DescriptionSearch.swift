// SPDX-License-Identifier: Apache-2.0
//
// DescriptionSearch: fetches the document that a server says describes the file, and finds the file.
//
// Asked    once a run, without any secret of the user's. What is not there, too long, breaks off, or
//          speaks of a file of another length is no failure of the transfer.
// Threads  blocks the caller for one answer; the flag ends it at once.
// Source   RFC 6249 section 4.

import Connections
import Transfers
import Workers

/// A look into a document.
struct DescriptionSearch {
  let document: Link
  let context: RunContext

  /// Reads it.
  ///
  /// - Returns: What it says of the file of that length; of several, of the one with that name.
  /// - Throws: `Unread` when it did not come.
  func description(
    of name: String,
    size: ByteCount,
    unless flag: CancellationFlag
  ) throws(Unread) -> FileDescription? {
    guard let bytes = context.document(ConnectionRequest(link: document), unless: flag)
    else { throw Unread() }
    let found = context.describe(bytes).files.filter { $0.size == size }
    return found.count == 1 ? found.first : found.first { $0.name == name }
  }

  /// The document did not come; a later run may have more luck.
  struct Unread: Error {}
}
