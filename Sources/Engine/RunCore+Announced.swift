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
      pieces: announced.pieces,
      document: announced.document
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
    guard needsNoSecrets, let total = plan.total, total >= Self.leastForMore
    else { return }
    for link in duplicates where !sources.contains(where: { $0.link.text == link.text }) {
      guard link.origin.scheme.isHTTP, !link.isWeaker(than: origin) || expected != nil else {
        continue
      }
      if let answer, answer.source == link.text {
        sources.append(Source(link, that: answer, isFound: true))
      } else {
        sources.append(Source(link, isFound: true))
      }
    }
  }

  /// Takes that a server names a document about the file: not where asking for it would tell who has
  /// secrets for whom, nor for what is over in a moment, nor in the clear for what came over TLS.
  mutating func learn(of document: Link?, namedBy origin: Origin) {
    guard let document, !isDescribed, needsNoSecrets, pieces == nil,
      !document.isWeaker(than: origin), let total = plan.total, total >= Self.leastForMore
    else { return }
    announced.document = document
  }

  /// The document to ask for now, once a run: one that is named, or was in an earlier run that could not
  /// read it.
  mutating func documentToRead() -> Link? {
    guard !isDescribed, needsNoSecrets, plan.total != nil, let document = announced.document
    else { return nil }
    isDescribed = true
    return document
  }

  /// Notes that the document was read, so that no later run asks for it.
  mutating func haveRead(_ document: Link, in begun: Int) -> Bool {
    guard generation == begun, announced.document == document else { return false }
    announced.document = nil
    return true
  }

  /// Takes what a document says of the file of this length; what the user gave stays.
  ///
  /// - Returns: Whether it still helps.
  mutating func take(_ found: FileDescription, namedBy origin: Origin, in begun: Int) -> Bool {
    guard generation == begun, ending == nil, found.size?.bytes == plan.total else { return false }
    if announced.checksum == nil { announced.checksum = found.announced.checksum }
    if request.pieces == nil { announced.pieces = found.announced.pieces }
    add(found.announced.mirrors, namedBy: origin)
    return true
  }

  /// Secrets stay with their origin, and what needs them here is not to be had elsewhere.
  private var needsNoSecrets: Bool {
    request.link.login == nil && request.headers.isEmpty && request.cookieFile == nil
  }
}

extension Link {
  /// Whether it would bring in the clear what is said by a server over TLS.
  func isWeaker(than origin: Origin) -> Bool {
    origin.scheme == .https && self.origin.scheme == .http
  }
}
