// SPDX-License-Identifier: Apache-2.0
//
// SafeName: what a text may keep of itself when it becomes a name in a directory.
//
// Holds    nothing; any thread.
// Never    returns an empty name, `.`, `..`, a slash, or a character that moves a cursor or turns
//          the direction of writing.

/// Makes one path component out of any text.
enum SafeName {
  /// The safe form of a name that came from outside; nil when nothing of it is left.
  ///
  /// Either kind of slash ends a directory, so that no server chooses one.
  static func received(_ text: String) -> String? {
    if isPlain(text) { return text }
    let name = trimmed(lastComponent(of: text) { $0 == "/" || $0 == "\\" })
    switch name.first {
    case nil: return nil
    case ".": return string(["_"] + name.dropFirst())
    case "-": return string(["_"] + name)
    default: return string(name)
    }
  }

  /// The safe form of a name that the user typed; nil when it cannot be a name.
  static func typed(_ text: String) -> String? {
    let name = string(lastComponent(of: text) { $0 == "/" }[...])
    return ["", ".", ".."].contains(name) ? nil : name
  }

  /// Whether a name of plain letters, digits and the like is safe as it is, as most are.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.utf8.first, isLetterOrDigit(first), text.utf8.last != UInt8(ascii: ".")
    else { return false }
    return text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+"): true
      default: isLetterOrDigit(byte)
      }
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }

  private static func lastComponent(
    of text: String,
    after isSlash: (Unicode.Scalar) -> Bool
  ) -> [Unicode.Scalar] {
    let scalars = Array(text.unicodeScalars)
    let start = scalars.lastIndex(where: isSlash).map { $0 + 1 } ?? 0
    return scalars[start...].map(harmless)
  }

  private static func harmless(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
    switch scalar.value {
    case 0...0x1F, 0x7F...0x9F: "_"
    // Line separators and marks that turn the direction of writing.
    case 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: "_"
    default: scalar
    }
  }

  /// Without blanks around it and without dots at its end.
  private static func trimmed(_ name: [Unicode.Scalar]) -> ArraySlice<Unicode.Scalar> {
    let start = name.drop(while: \.properties.isWhitespace)
    let end = start.lastIndex { !$0.properties.isWhitespace && $0 != "." }
    return start[..<(end.map { $0 + 1 } ?? start.startIndex)]
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(scalars))
  }
}
