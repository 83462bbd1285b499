// SPDX-License-Identifier: Apache-2.0
//
// HeaderField: one request header as the user gave it.
//
// Holds    a name that is an RFC 9110 token, and a value without CR, LF and NUL.
// Never    is sent to another origin than the one it was given for.

/// One request header.
public struct HeaderField: Hashable, Sendable {
  /// The field name, an RFC 9110 token.
  public let name: String
  /// The value without blanks around it; free of CR, LF and NUL.
  public let value: String

  /// Checks and makes a field; nil when name or value could inject a line.
  public init?(name: String, value: String) {
    let token = name.utf8.allSatisfy { isTokenByte($0) }
    let clean = value.utf8.allSatisfy { $0 != 0 && $0 != 10 && $0 != 13 }
    guard token, clean, !name.isEmpty else { return nil }
    self.name = name
    self.value = trimmed(value)
  }
}

/// A value without the blanks around it, which RFC 9110 section 5.5 does not count as part of it.
private func trimmed(_ value: String) -> String {
  let isBlank = { (character: Character) in character == " " || character == "\t" }
  guard let end = value.lastIndex(where: { !isBlank($0) }) else { return "" }
  return String(value[...end].drop(while: isBlank))
}

/// Whether a byte may stand in an RFC 9110 section 5.6.2 token.
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "a")...UInt8(ascii: "z"):
    true
  default:
    "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
