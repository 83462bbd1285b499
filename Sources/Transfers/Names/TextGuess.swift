// SPDX-License-Identifier: Apache-2.0
//
// TextGuess: text out of bytes that came without the name of their encoding, or with one.
//
// Servers put UTF-8, GB18030, Shift-JIS or Latin-1 straight into headers and paths. UTF-8 proves
// itself; the others are told apart by which byte pairs are common in them.
// Holds    nothing; any thread.
// Never    fails: every byte has a reading in Latin-1.

/// Decodes all `bytes` from the named character set; nil when it cannot.
///
/// The names are those of IANA; the caller hands in what the system offers, such as `iconv(3)`.
public typealias TextDecoding = (_ bytes: [UInt8], _ charset: String) -> String?

/// Turns bytes of a known or unknown encoding into text.
struct TextGuess {
  /// What decodes the encodings that are not decoded here.
  let decode: TextDecoding

  /// The text of `bytes` in `charset`, any case; nil when they are not valid in it.
  func text(of bytes: [UInt8], in charset: String) -> String? {
    switch charset.lowercased() {
    case "", "utf-8", "utf8", "us-ascii": String(validating: bytes, as: UTF8.self)
    case "iso-8859-1", "latin1": latin1(bytes)
    default: decode(bytes, charset)
    }
  }

  /// The most plausible text of `bytes`.
  func text(of bytes: [UInt8]) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let western = decode(bytes, "WINDOWS-1252") ?? latin1(bytes)
    if looksWestern(bytes) { return western }
    let chinese = commonShare(in: bytes, isCommon: isCommonInGB18030)
    let japanese = commonShare(in: bytes, isCommon: isCommonInShiftJIS)
    let order = chinese >= japanese ? ["GB18030", "CP932"] : ["CP932", "GB18030"]
    guard max(chinese, japanese) > 0.5 else { return western }
    return order.lazy.compactMap { decode(bytes, $0) }.first ?? western
  }

  /// One scalar for each byte (ISO 8859-1).
  private func latin1(_ bytes: [UInt8]) -> String {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Whether every run of high bytes is one or two accented letters beside an ASCII letter.
  private func looksWestern(_ bytes: [UInt8]) -> Bool {
    var start = bytes.startIndex
    while let first = bytes[start...].firstIndex(where: { $0 >= 0x80 }) {
      let end = bytes[first...].firstIndex { $0 < 0x80 } ?? bytes.endIndex
      let before = first > bytes.startIndex && isLetter(bytes[first - 1])
      let after = end < bytes.endIndex && isLetter(bytes[end])
      guard end - first <= 2, before || after, bytes[first..<end].allSatisfy(isAccented)
      else { return false }
      start = end
    }
    return true
  }

  private func isLetter(_ byte: UInt8) -> Bool {
    Character(Unicode.Scalar(byte)).isLetter
  }

  private func isAccented(_ byte: UInt8) -> Bool {
    byte >= 0xC0 && byte != 0xD7 && byte != 0xF7
  }

  /// Which part of the characters with a high byte is common, when read as byte pairs; 0 to 1.
  private func commonShare(in bytes: [UInt8], isCommon: (UInt8, UInt8) -> Bool) -> Double {
    var common = 0
    var total = 0
    var rest = bytes[...]
    while let lead = rest.popFirst() {
      guard lead >= 0x80 else { continue }
      total += 1
      guard let trail = rest.first, isCommon(lead, trail) else { continue }
      common += 1
      rest = rest.dropFirst()
    }
    return Double(common) / Double(max(total, 1))
  }

  /// Symbols and the characters of GB 2312.
  private func isCommonInGB18030(_ lead: UInt8, _ trail: UInt8) -> Bool {
    (0xA1...0xA9).contains(lead) && trail >= 0xA1 || (0xB0...0xF7).contains(lead) && trail >= 0xA1
  }

  /// Punctuation, kana and the kanji of JIS level 1.
  private func isCommonInShiftJIS(_ lead: UInt8, _ trail: UInt8) -> Bool {
    let isTrail = (0x40...0xFC).contains(trail) && trail != 0x7F
    return isTrail && ((0x81...0x83).contains(lead) || (0x88...0x98).contains(lead))
  }
}
