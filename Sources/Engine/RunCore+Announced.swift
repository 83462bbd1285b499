// SPDX-License-Identifier: Apache-2.0
//
// RunCore, what servers tell about the whole file: other places of it, and what it is checked by.
//
// Rule     It is kept with the answer, so that a later run knows it too, and goes with the bytes.
// Never    lets a link that a server named have the user's secrets.

import Connections
import Transfers

extension RunCore {
  /// Takes what an earlier run was told.
  mutating func remember(_ answer: Answer?) {
    guard let answer else { return }
    announced = answer.announced
    add(answer.announced.mirrors, namedBy: request.link.origin, knowing: answer)
  }

  /// What a later run should know.
  var toRemember: Announced {
    Announced(
      checksum: searched ?? announced.checksum,
      mirrors: sources.filter(\.isFound).map(\.link),
      pieces: announced.pieces
    )
  }

  /// Takes links that the lead's server says have the same file; they are compared like any other.
  ///
  /// Not where the user's secrets are needed, since they stay with their origin; not over plain HTTP
  /// for a file that came over TLS, unless a digest is known that would tell a forgery.
  mutating func add(
    _ duplicates: [Link],
    namedBy origin: Origin,
    knowing answer: Answer? = nil
  ) {
    guard request.link.login == nil, request.headers.isEmpty, request.cookieFile == nil,
      let total = plan.total, total >= Self.leastForMore
    else { return }
    for link in duplicates where !sources.contains(where: { $0.link.text == link.text }) {
      let isWeaker = origin.scheme == .https && link.origin.scheme == .http
      guard !isWeaker || expected != nil else { continue }
      if let answer, answer.source == link.text {
        sources.append(Source(link, that: answer, isFound: true))
      } else {
        sources.append(Source(link, isFound: true))
      }
    }
  }
}
