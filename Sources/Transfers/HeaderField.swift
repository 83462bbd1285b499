// SPDX-License-Identifier: Apache-2.0
//
// HeaderField: one request header as the user gave it.
//
// Holds    a name that is an RFC 9110 token, and a value without control bytes but tabs.
// Never    is sent to another origin than the one it was given for.

/// One request header.
public struct HeaderField: Hashable, Sendable {
  /// The field name, an RFC 9110 token.
  public let name: String
  /// The value without blanks around it; free of control bytes but tabs.
  public let value: String

  /// Checks and makes a field; nil when name or value could inject a line or move a cursor.
  ///
  /// Source: RFC 9110 section 5.5, which allows visible bytes, blanks, tabs and bytes from 0x80.
  public init?(name: String, value: String) {
    let token = name.utf8.allSatisfy { isTokenByte($0) }
    let clean = value.utf8.allSatisfy { $0 == 9 || $0 >= 0x20 && $0 != 0x7F }
    guard token, clean, !name.isEmpty else { return nil }
    self.name = name
    self.value = trimmed(value)
  }
}

extension HeaderField: CustomStringConvertible {
  /// The name only, so that no interpolated value tells a secret.
  public var description: String { "\(name): ***" }
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
