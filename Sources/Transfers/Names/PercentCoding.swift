// SPDX-License-Identifier: Apache-2.0
//
// PercentCoding: `%41` back to a byte, once.
//
// Holds    nothing; any thread.
// Never    decodes twice, and never reads `+` as a space.

/// Percent-decoding of bytes (RFC 3986 section 2.1).
enum PercentCoding {
  /// The bytes with each `%XX` decoded; a `%` without two digits stays as it is.
  static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(UInt8(ascii: "%")) else { return bytes }
    var result: [UInt8] = []
    var rest = bytes[...]
    while let first = rest.popFirst() {
      if first == UInt8(ascii: "%"), let value = leadingByte(rest) {
        result.append(value)
        rest = rest.dropFirst(2)
      } else {
        result.append(first)
      }
    }
    return result
  }

  /// The bytes with each `%XX` decoded; nil when a `%` has no two digits after it.
  static func strictlyDecoded(_ bytes: [UInt8]) -> [UInt8]? {
    let percent = UInt8(ascii: "%")
    let isWellFormed = bytes.indices.allSatisfy { index in
      bytes[index] != percent || leadingByte(bytes[(index + 1)...]) != nil
    }
    return isWellFormed ? decoded(bytes) : nil
  }

  private static func leadingByte(_ rest: ArraySlice<UInt8>) -> UInt8? {
    guard let high = rest.first.flatMap(digit), let low = rest.dropFirst().first.flatMap(digit)
    else { return nil }
    return high << 4 | low
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init)
  }
}
