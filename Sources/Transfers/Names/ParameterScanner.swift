// SPDX-License-Identifier: Apache-2.0
//
// ParameterScanner: walks over `name=value; name="value"` in a header, forgiving what it can.
//
// Holds    the header's bytes and a position that only grows.
// Never    decodes; in a header that is not UTF-8 a backslash can be half of a Shift-JIS or GBK
//          character, and then it escapes nothing.

/// One pass over the parameters of a header.
struct ParameterScanner {
  /// One parameter, its value unquoted.
  struct Parameter {
    /// The name in lower case.
    let name: String
    /// The value without quotes and escapes, blanks around an unquoted one removed.
    let value: [UInt8]
  }

  private var rest: ArraySlice<UInt8>
  private let hasBytePairs: Bool

  /// Starts at the beginning of `header`.
  init(_ header: [UInt8]) {
    rest = header[...]
    hasBytePairs = String(validating: header, as: UTF8.self) == nil
  }

  /// The next parameter with a value; words without one, such as the type, are passed over.
  mutating func next() -> Parameter? {
    while !rest.isEmpty {
      let word = take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: "=") }
      guard rest.popFirst() == UInt8(ascii: "=") else { continue }
      let name = String(decoding: trimmed(word), as: UTF8.self).lowercased()
      return Parameter(name: name, value: takeValue())
    }
    return nil
  }

  private mutating func takeValue() -> [UInt8] {
    _ = take(while: isBlank)
    let isQuoted = rest.first == UInt8(ascii: "\"")
    let quoted = isQuoted ? takeQuoted() : []
    let unquoted = take { $0 != UInt8(ascii: ";") }
    _ = rest.popFirst()
    return isQuoted ? quoted : Array(trimmed(unquoted))
  }

  /// Takes a quoted text with its quotes; a missing last quote is forgiven.
  private mutating func takeQuoted() -> [UInt8] {
    var value: [UInt8] = []
    rest = rest.dropFirst()
    while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
      let escapes = byte == UInt8(ascii: "\\") && rest.first.map(isEscapable) == true
      if !escapes { value.append(byte) }
      if escapes || isFirstOfPair(byte) { value += rest.popFirst().map { [$0] } ?? [] }
    }
    return value
  }

  /// Only quote and backslash need an escape; before anything else `\` is part of a Windows path.
  private func isEscapable(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }

  private func isFirstOfPair(_ byte: UInt8) -> Bool {
    hasBytePairs && (0x81...0xFE).contains(byte) && rest.first.map { $0 >= 0x40 } == true
  }

  private mutating func take(while matches: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: matches)
    rest = rest[taken.endIndex...]
    return taken
  }

  private func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let start = bytes.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }
    return start[..<(end.map { $0 + 1 } ?? start.startIndex)]
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
  }
}
