// SPDX-License-Identifier: Apache-2.0
//
// Metalink, as what a server says of files.
//
// Rule     its links come from a server, not from the user: http, https and ftp only, at most 16, and
//          a login in them is dropped.
// Any thread. Pure.

import Transfers

extension Metalink {
  private static let mostLinks = 16

  /// What it says of each of its files, and the first thing that is wrong with it.
  var described: DescribedFiles {
    let problem = problems.first.map { "line \($0.number): \($0.reason.line)" }
    return DescribedFiles(descriptions, problem: problem)
  }

  private var descriptions: [FileDescription] {
    entries.map(\.file).map { file in
      FileDescription(
        name: file.name,
        size: file.size,
        announced: Announced(
          checksum: file.checksum,
          mirrors: file.links.filter(\.isOpen).prefix(Self.mostLinks).map(\.withoutLogin),
          pieces: file.pieces
        )
      )
    }
  }
}

extension Link {
  /// Whether asking for it needs nothing of the user's, such as a key.
  fileprivate var isOpen: Bool {
    switch origin.scheme {
    case .http, .https, .ftp: true
    case .ftps, .sftp: false
    }
  }

  fileprivate var withoutLogin: Link {
    Link(text: text, origin: origin, path: path, login: nil)
  }
}
