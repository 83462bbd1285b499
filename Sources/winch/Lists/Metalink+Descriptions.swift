// SPDX-License-Identifier: Apache-2.0
//
// Metalink, as what describes files that are being fetched already.
//
// Rule     its links come from a server, not from the user: http and https only, at most 16, and a
//          login in them is dropped.
// Any thread. Pure.

import Transfers

extension Metalink {
  private static let mostLinks = 16

  /// What it says of each of its files.
  var descriptions: [FileDescription] {
    entries.map(\.file).map { file in
      FileDescription(
        name: file.name,
        size: file.size,
        announced: Announced(
          checksum: file.checksum,
          mirrors: file.links.filter(\.origin.scheme.isHTTP).prefix(Self.mostLinks)
            .map(\.withoutLogin),
          pieces: file.pieces
        )
      )
    }
  }
}

extension Link {
  fileprivate var withoutLogin: Link {
    Link(text: text, origin: origin, path: path, login: nil)
  }
}
