// SPDX-License-Identifier: Apache-2.0
//
// OptionLine: a line below a link that says more about it, in the form of aria2's input files.
//
// Form     `name=value`, usually behind a blank: `dir=`, `out=`, `checksum=sha-256=HEX`,
//          `sha256=HEX`, `header=Name: value`, `referer=`, `user-agent=`, `max-download-limit=RATE`.
// Source   aria2c(1), "Input File". Any thread. Pure.

import Transfers

/// One option of a link.
struct OptionLine: Hashable, Sendable {
  /// What is set, letters, digits and `-`.
  let name: String
  /// What to, without blanks around it.
  let value: String

  /// Takes a line without blanks around it apart; nil when it has not the form.
  init?(_ text: String) {
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals > text.startIndex,
      text.utf8[..<equals].allSatisfy(Self.isNameByte)
    else { return nil }
    name = String(text[..<equals])
    value = String(text[text.utf8.index(after: equals)...]).withoutBlanksAround
  }

  /// Whether the name means something here.
  var isKnown: Bool {
    switch name {
    case "dir", "out", "checksum", "header", "referer", "user-agent", "max-download-limit": true
    default: ChecksumAlgorithm(named: name) != nil
    }
  }

  /// Sets it.
  ///
  /// - Parameter entry: The file it is about.
  /// - Throws: `ListProblem.unknownOption`, or why the value cannot be used.
  func apply(to entry: inout ListEntry) throws(ListProblem) {
    guard isKnown else { throw .unknownOption }
    guard !value.isEmpty else { throw .noValue }
    switch name {
    case "dir": entry.directory = value
    case "out": try entry.save(as: value)
    case "checksum": entry.checksum = try Self.checksum(value)
    case "max-download-limit": entry.rateLimit = try rate
    case "header": entry.headers += [try HeaderLine.field(value)].compactMap(\.self)
    case "referer": entry.headers += [try HeaderLine.field("Referer", value)].compactMap(\.self)
    case "user-agent":
      entry.headers += [try HeaderLine.field("User-Agent", value)].compactMap(\.self)
    default: entry.checksum = try Self.checksum("\(name)=\(value)")
    }
  }

  /// The value as a rate; aria2 writes 0 for none.
  private var rate: ByteRate? {
    get throws(ListProblem) {
      if value == "0" { return nil }
      guard let rate = ByteRate(parsing: value) else { throw .rate }
      return rate
    }
  }

  /// Reads `ALGORITHM=HEX` or `ALGORITHM:HEX`.
  ///
  /// - Throws: `ListProblem.checksum`.
  static func checksum(_ text: String) throws(ListProblem) -> Checksum {
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { "=:".contains($0) }
    do {
      return try Checksum(parsing: parts.joined(separator: ":"))
    } catch {
      throw .checksum(error)
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"):
      true
    default:
      false
    }
  }
}

extension String {
  /// Without white space at both ends, whatever it is joined with.
  var withoutBlanksAround: String {
    let isPlain = [utf8.first, utf8.last].allSatisfy { $0.map { 0x21...0x7E ~= $0 } ?? true }
    if isPlain { return self }
    let start = unicodeScalars.drop(while: \.properties.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
