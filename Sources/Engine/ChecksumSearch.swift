// SPDX-License-Identifier: Apache-2.0
//
// ChecksumSearch: looks beside a link for a text that names the file's digest.
//
// Asked    `NAME.sha256`, then `SHA256SUMS` in the same directory, with the link's own login and
//          fields; the first that names the file decides. What is not there, too long, or breaks off
//          is no failure of the transfer.
// Threads  blocks the caller for two answers at most; the flag ends it at once.
// Never    proves more than that file and list belong together: both come from the same place.

import Connections
import Transfers
import Workers

/// A search for a digest.
struct ChecksumSearch {
  let request: TransferRequest
  let context: RunContext

  /// The digest, nil when none is named or the flag is set.
  func checksum(unless flag: CancellationFlag) -> Checksum? {
    let link = request.link
    guard let last = link.path.split(separator: "/").last, !link.path.hasSuffix("/"),
      let name = link.lastName
    else { return nil }
    for (place, isOwn) in [("./\(last).sha256", true), ("./SHA256SUMS", false)] {
      guard !flag.isCancelled, let beside = link.beside(place) else { return nil }
      let list = context.document(ConnectionRequest(beside, of: request), unless: flag)
      let found = list.flatMap {
        ChecksumList($0, .sha256).checksum(of: name, isOwn: isOwn)
      }
      guard let found else { continue }
      context.note("\(found.algorithm.shown) found in \(place.dropFirst(2))")
      return found
    }
    context.note("no checksum found beside the link")
    return nil
  }
}

extension Link {
  /// What stands at a relative place beside this one; nil when that is no link.
  fileprivate func beside(_ place: String) -> Link? {
    guard let found = try? Link(resolving: Array(place.utf8), against: self) else { return nil }
    return Link(text: found.text, origin: found.origin, path: found.path, login: login)
  }
}
