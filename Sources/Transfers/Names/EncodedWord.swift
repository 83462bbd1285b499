// SPDX-License-Identifier: Apache-2.0
//
// EncodedWord: `=?UTF-8?B?5ris6Kmm?=` in a header, as mail has it and some servers copy it.
//
// Holds    nothing; any thread.
// Never    guesses: a word that does not decode leaves the whole text as it is.

/// Decoding of RFC 2047 encoded words.
struct EncodedWord {
  /// How the bytes of a word become text.
  let guess: TextGuess

  /// The text with its encoded words decoded; nil when it has none or one is malformed.
  func decoded(_ text: String) -> String? {
    guard text.contains("=?") else { return nil }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "=?") {
      let between = rest[..<start.lowerBound]
      guard let word = leadingWord(rest[start.upperBound...]) else { return nil }
      let joinsWords = rest.startIndex > text.startIndex && between.allSatisfy(\.isWhitespace)
      result += joinsWords ? word.text : between + word.text
      rest = word.rest
    }
    return result + rest
  }

  /// Reads `charset?B?data?=` at the beginning of `text`.
  private func leadingWord(_ text: Substring) -> (text: String, rest: Substring)? {
    let parts = text.split(separator: "?", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 4, parts[3].first == "=", let bytes = bytes(of: parts[2], as: parts[1])
    else { return nil }
    let charset = parts[0].prefix { $0 != "*" }
    return guess.text(of: bytes, in: String(charset)).map { ($0, parts[3].dropFirst()) }
  }

  private func bytes(of data: Substring, as coding: Substring) -> [UInt8]? {
    switch coding {
    case "B", "b": base64(data)
    case "Q", "q": quotedPrintable(data)
    default: nil
    }
  }

  private func quotedPrintable(_ data: Substring) -> [UInt8]? {
    // The Q coding is percent-coding with other signs, once the real `%` is out of the way.
    let signs = data.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "="): [UInt8(ascii: "%")]
      case UInt8(ascii: "_"): [UInt8(ascii: " ")]
      case UInt8(ascii: "%"): Array("%25".utf8)
      default: [byte]
      }
    }
    return PercentCoding.strictlyDecoded(signs)
  }

  private func base64(_ data: Substring) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var result: [UInt8] = []
    var held: UInt32 = 0
    var bits = 0
    for byte in data.utf8.prefix(while: { $0 != UInt8(ascii: "=") }) {
      guard let value = alphabet.firstIndex(of: byte) else { return nil }
      held = (held << 6 | UInt32(value)) & 0xFFFF
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      result.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
    }
    return result
  }
}
