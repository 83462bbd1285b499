// SPDX-License-Identifier: Apache-2.0
//
// CharacterSetsTests: iconv as the name function uses it.

import Storage
import Testing
import Transfers

/// A text in one character set.
struct EncodedText: Sendable {
  let charset: String
  let bytes: [UInt8]
  let text: String
}

private let encodedTexts = [
  EncodedText(charset: "GB18030", bytes: [0xD6, 0xD0, 0xCE, 0xC4], text: "中文"),
  EncodedText(charset: "gb18030", bytes: [0x94, 0x39, 0xDA, 0x33], text: "💩"),
  EncodedText(charset: "SHIFT_JIS", bytes: [0x95, 0x5C], text: "表"),
  EncodedText(charset: "ISO-8859-1", bytes: [0x6E, 0x61, 0xEF, 0x76, 0x65], text: "naïve"),
  EncodedText(charset: "ISO-8859-15", bytes: [0xA4], text: "€"),
  EncodedText(charset: "ISO-2022-JP", bytes: [0x1B, 0x24, 0x42, 0x49, 0x3D], text: "表"),
  EncodedText(charset: "UTF-7", bytes: Array("+ZYc-".utf8), text: "文"),
  EncodedText(charset: "UTF-16BE", bytes: [0x65, 0x87], text: "文"),
  EncodedText(charset: "GB18030", bytes: [], text: ""),
]

@Suite("Character sets")
struct CharacterSetsTests {
  @Test("Valid bytes become text", arguments: encodedTexts)
  func validBytesBecomeText(_ sample: EncodedText) {
    #expect(CharacterSets.decode(sample.bytes, from: sample.charset) == sample.text)
  }

  @Test("Bytes that are cut or wrong are refused whole")
  func wrongBytesAreRefused() {
    #expect(CharacterSets.decode([0x41, 0xD6], from: "GB18030") == nil)
    #expect(CharacterSets.decode([0x41, 0xFF, 0x42], from: "GB18030") == nil)
    #expect(CharacterSets.decode([0x41, 0xC3], from: "UTF-8") == nil)
  }

  @Test("Unknown sets and suffixes that skip errors are refused")
  func unknownSetsAreRefused() {
    #expect(CharacterSets.decode([0x41], from: "NO-SUCH-SET") == nil)
    #expect(CharacterSets.decode([0x41, 0xFF], from: "UTF-8//IGNORE") == nil)
  }

  @Test(
    "Names without a declared encoding are guessed",
    arguments: [
      ("GB18030", "中文文件名.rar"), ("SHIFT_JIS", "テスト表.txt"), ("WINDOWS-1252", "Größe – 5 €.txt"),
      ("ISO-8859-1", "Müller ß.txt"), ("ISO-8859-1", "Füße.txt"), ("ISO-8859-1", "été.tar.gz"),
      ("GB18030", "第1章 说明书(最新版).pdf"), ("SHIFT_JIS", "日本語の名前 ソ.zip"),
    ]
  )
  func undeclaredEncodingsAreGuessed(_ charset: String, _ name: String) throws {
    let header = "attachment; filename=\"" + name + "\""
    let bytes = try #require(encode(header, to: charset))
    let chosen = FileName.choose(
      userName: nil,
      disposition: bytes,
      redirectDisposition: nil,
      finalPath: "/x",
      firstPath: "/",
      decode: CharacterSets.decode
    )
    #expect(chosen == name)
  }

  /// Finds the bytes of each character by trying, so that the test does not need a second iconv.
  private func encode(_ text: String, to charset: String) -> [UInt8]? {
    var result: [UInt8] = []
    for character in text {
      let single = (UInt8.min...UInt8.max).lazy.map { [$0] }
      let double = (UInt8(0x80)...UInt8.max).lazy.flatMap { lead in
        (UInt8(0x40)...UInt8.max).lazy.map { [lead, $0] }
      }
      let matches = { CharacterSets.decode($0, from: charset) == String(character) }
      guard let bytes = single.first(where: matches) ?? double.first(where: matches)
      else { return nil }
      result += bytes
    }
    return result
  }
}
