// SPDX-License-Identifier: Apache-2.0
//
// LinkLine: a line that names one file: its link, its mirrors behind tabs, perhaps its checksum.
//
// Form     `LINK`, `LINK<tab>MIRROR…`, `LINK sha256=HEX`, `LINK#sha256=HEX`.
// Kept     as it is: `&amp;`, which is a valid part of a query. Brackets, braces, blanks and raw
//          UTF-8 are left to the parser of links, which encodes what has to be encoded.
// Any thread. Pure.

import Connections
import Transfers

/// A line with links.
struct LinkLine {
  /// A part that is no link.
  struct BadPart {
    /// The part as written.
    let text: String
    /// Why.
    let problem: ListProblem
  }

  /// The file; nil when no link is left, or when its checksum cannot be read.
  private(set) var entry: ListEntry?
  /// The parts that are none.
  private(set) var bad: [BadPart] = []

  private let assumingHTTPS: Bool
  private var links: [Link] = []
  private var checksum: Checksum?
  private var isCompleted = false

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - text: The line; not only blanks.
  ///   - assumingHTTPS: Whether `https://` is put before what has no scheme.
  init(_ text: String, assumingHTTPS: Bool = false) {
    self.assumingHTTPS = assumingHTTPS
    for part in Self.parts(text) where !part.isEmpty { take(part) }
    // A file whose digest is unreadable would arrive unchecked, which is not what was asked for.
    let isUnchecked = bad.contains { if case .checksum = $0.problem { true } else { false } }
    guard !links.isEmpty, !isUnchecked else { return }
    entry = ListEntry(links: links, checksum: checksum, isCompleted: isCompleted)
  }

  private static func parts(_ text: String) -> [String] {
    guard text.utf8.contains(UInt8(ascii: "\t")) else { return [text.withoutBlanksAround] }
    return text.split(separator: "\t").map { String($0).withoutBlanksAround }
  }

  private mutating func take(_ part: String) {
    do throws(ListProblem) {
      if let found = try Self.checksum(part) {
        checksum = found
        return
      }
      let (text, found) = try Self.divided(part)
      checksum = found ?? checksum
      add(try link(text))
    } catch {
      bad.append(BadPart(text: part, problem: error))
    }
  }

  private mutating func add(_ link: Link) {
    if !links.contains(where: { $0.text == link.text }) { links.append(link) }
  }

  private mutating func link(_ text: String) throws(ListProblem) -> Link {
    do throws(LinkError) {
      return try Link(parsing: text)
    } catch .noScheme(let guess?) where assumingHTTPS {
      isCompleted = true
      return guess
    } catch {
      throw .link(error)
    }
  }

  /// A link and the checksum in its last word or its fragment.
  ///
  /// - Parameter text: Without blanks around it.
  /// - Returns: The text without the checksum, and the checksum; nil where there is none.
  /// - Throws: `ListProblem.checksum` when there is one that cannot be read.
  static func divided(_ text: String) throws(ListProblem) -> (link: String, Checksum?) {
    // Most links are of printable ASCII, and then a glance at their bytes will do.
    if text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "#") }) {
      return (text, nil)
    }
    if let blank = text.lastIndex(where: \.isWhitespace),
      let found = try checksum(String(text[text.index(after: blank)...]))
    {
      return (String(text[..<blank]), found)
    }
    guard let hash = text.lastIndex(of: "#") else { return (text, nil) }
    for field in text[text.index(after: hash)...].split(separator: "&") {
      if let found = try checksum(String(field)) { return (String(text[..<hash]), found) }
    }
    return (text, nil)
  }

  /// The checksum that a word is; nil when it is something else.
  private static func checksum(_ word: String) throws(ListProblem) -> Checksum? {
    guard let end = word.utf8.firstIndex(where: { "=:".utf8.contains($0) }),
      !word[end...].utf8.starts(with: "://".utf8), ChecksumAlgorithm(named: word[..<end]) != nil
    else { return nil }
    return try OptionLine.checksum(word)
  }
}
