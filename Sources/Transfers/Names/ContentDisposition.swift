// SPDX-License-Identifier: Apache-2.0
//
// ContentDisposition: the file names in a Content-Disposition header, read as browsers read it.
//
// Takes what servers send: no quotes around blanks and commas, a semicolon too many, spaces around
// `=`, percent-coding or mail coding in the plain name, bytes of any encoding.
// Holds    the values of `filename*` and `filename`, unquoted and not yet decoded.
// Never    decides what is safe on disk; FileName does.

/// The two file names a Content-Disposition header can carry (RFC 6266).
struct ContentDisposition {
  /// The value of `filename*`, such as `UTF-8''na%C3%AFve.txt`.
  private(set) var extended: [UInt8]?
  /// The value of `filename`.
  private(set) var plain: [UInt8]?

  /// Reads the value of the header; the first use of each parameter counts.
  init(_ header: [UInt8]) {
    var scanner = ParameterScanner(header)
    while let parameter = scanner.next() {
      switch parameter.name {
      case "filename*": extended = extended ?? parameter.value
      case "filename": plain = plain ?? parameter.value
      default: break
      }
    }
  }

  /// The names as text, the better one first; not yet safe.
  func names(_ guess: TextGuess) -> [String] {
    [extended.flatMap { extendedName($0, guess) }, plain.map { plainName($0, guess) }]
      .compactMap { $0 }
  }

  /// Reads `charset'language'percent-coded` (RFC 8187 section 3.2).
  private func extendedName(_ value: [UInt8], _ guess: TextGuess) -> String? {
    let parts = value.split(
      separator: UInt8(ascii: "'"),
      maxSplits: 2,
      omittingEmptySubsequences: false
    )
    guard parts.count == 3, let bytes = PercentCoding.strictlyDecoded(Array(parts[2]))
    else { return nil }
    return guess.text(of: bytes, in: String(decoding: parts[0], as: UTF8.self))
  }

  private func plainName(_ value: [UInt8], _ guess: TextGuess) -> String {
    if let bytes = PercentCoding.strictlyDecoded(value), bytes != value,
      let text = String(validating: bytes, as: UTF8.self)
    {
      return text
    }
    let text = guess.text(of: value)
    return EncodedWord(guess: guess).decoded(text) ?? text
  }
}
