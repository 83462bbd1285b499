// SPDX-License-Identifier: Apache-2.0
//
// Width, sanitising and shortening of text.

import Frames
import Testing

@Test func `where much is wide that should not be, ASCII and what is wide anyway are shown`() {
  let shown = Sanitizer.shown("日本 é×—Ж\u{301}.iso", in: .asciiAndWide)
  #expect(shown == "日本 ????.iso")
}

@Suite struct TextWidthTests {
  @Test(arguments: [
    ("", 0), ("abc", 3), ("日本", 4), ("\u{E9}", 1), ("e\u{301}", 1), ("😀", 2), ("⚠", 1),
    ("±", 1), ("각", 2), ("\u{1100}\u{1161}", 2), ("क्ष", 2), ("🇩🇪", 2), ("ก็", 1),
    ("a\u{AD}\u{A0}b", 4), ("\u{FFFD}", 1), ("█▏─…·", 5), ("ｆ", 2), ("\u{1B}", 1),
    ("\u{1FAE9}", 1),
  ])
  func `columns are those terminals agree on`(text: String, columns: Int) {
    #expect(TextWidth.columns(of: text) == columns)
  }
}

@Suite struct SanitizerTests {
  @Test(arguments: [
    ("plain name.iso", "plain name.iso", "plain name.iso"),
    ("a\u{1B}[31mb", "a·[31mb", "a?[31mb"),
    ("a\r\n\tb\u{7F}\u{0}", "a···b··", "a???b??"),
    ("a\u{9B}31m\u{2028}\u{2029}", "a·31m··", "a?31m??"),
    ("cv\u{202E}fdp.exe", "cv?fdp.exe", "cv?fdp.exe"),
    ("\u{2066}\u{2069}\u{200E}\u{200F}\u{61C}", "?????", "?????"),
    ("👩\u{200D}💻", "👩💻", "??"), ("⚠\u{FE0F}", "⚠", "?"), ("👍🏽", "👍", "?"),
    ("\u{FEFF}a\u{200B}b\u{2060}", "ab", "ab"), ("🏴\u{E0067}\u{E007F}", "🏴", "?"),
    ("e\u{301}\u{302}\u{303}\u{304}x", "e\u{301}\u{302}x", "ex"), ("\u{301}x", "x", "x"),
    ("日本.zst", "日本.zst", "??.zst"), ("Ünï", "Ünï", "?n?"), ("\u{1FAE9}", "\u{FFFD}", "?"),
    ("a\u{AD}b", "a\u{AD}b", "a?b"), ("ᄒ\u{1161}", "ᄒ\u{1161}", "?"),
    ("\u{3164}\u{115F}x", "x", "x"),
  ])
  func `only visible text comes out`(text: String, shown: String, ascii: String) {
    #expect(Array(Sanitizer.shown(text).unicodeScalars) == Array(shown.unicodeScalars))
    #expect(Sanitizer.shown(text, in: .ascii) == ascii)
  }

  @Test func `bytes that are not UTF-8 are marked`() {
    #expect(Sanitizer.shown(bytes: [0x61, 0xFF, 0x62]) == "a\u{FFFD}b")
    #expect(Sanitizer.shown(bytes: [0x61, 0xFF, 0x62], in: .ascii) == "a?b")
    #expect(Sanitizer.shown(bytes: [0x61, 0x9B, 0x33]) == "a\u{FFFD}3")
  }

  @Test func `every scalar comes out measurable and stays as it is the second time`() {
    for value in UInt32(0)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let shown = Sanitizer.shown("x\(scalar)")
      let isMeasurable = shown.unicodeScalars.allSatisfy { TextWidth.columns(of: $0) >= 0 }
      if !isMeasurable || shown.unicodeScalars.count > 2 { Issue.record("scalar \(value)") }
      if value < 0x3000, Sanitizer.shown(shown) != shown { Issue.record("scalar \(value)") }
    }
  }

  @Test func `4096 marks shrink to two`() {
    let shown = Sanitizer.shown("a" + String(repeating: "\u{301}", count: 4096))
    #expect(shown.unicodeScalars.count == 3)
  }

  @Test func `names that change their reading order are told`() {
    #expect(Sanitizer.hasHiddenCharacters("cv\u{202E}fdp.exe"))
    #expect(!Sanitizer.hasHiddenCharacters("日本語 مرحبا.zip"))
  }
}

@Suite struct ShortenedTests {
  @Test(arguments: [
    ("short.iso", 30, "short.iso"),
    ("debian-12.5.0-amd64-netinst.iso", 30, "debian-12.5.0-amd64…etinst.iso"),
    ("ubuntu-24.04.3-live-server-amd64.iso", 30, "ubuntu-24.04.3-live…-amd64.iso"),
    ("日本語ドキュメント集_2026年版.tar.zst", 30, "日本語ドキュメント…版.tar.zst"),
    ("ubuntu-24.04.3-live-server-amd64.iso", 25, "ubuntu-24.04.3-l…md64.iso"),
    ("a-long-archive-name-part-01.rar", 16, "a-long-a…-01.rar"),
    ("a-long-archive-name.part01.rar", 20, "a-long-a….part01.rar"),
    ("a-long-archive-name.7z.001", 14, "a-long….7z.001"),
    ("archive.part01.rar", 8, "a…01.rar"), ("archive.part01.rar", 3, "a…r"),
    ("archive.part01.rar", 2, "a…"), ("archive.part01.rar", 1, "…"), ("archive", 0, ""),
    ("日本語ドキュメント", 6, "日…ト"), ("日本", 3, "日…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
  ])
  func `names lose their middle`(name: String, columns: Int, shown: String) {
    #expect(Shortened.middle(name, columns: columns, glyphs: .unicode) == shown)
  }

  @Test func `parts of a set stay different at every width from eight`() {
    for columns in 8...40 {
      let names = (1...99).map { number in
        let part = number < 10 ? "0\(number)" : "\(number)"
        return Shortened.middle(
          "the-collected-works.part\(part).rar",
          columns: columns,
          glyphs: .ascii
        )
      }
      #expect(Set(names).count == 99)
      #expect(names.allSatisfy { TextWidth.columns(of: $0) <= columns })
    }
  }

  @Test(arguments: [
    ("images.deb.example", 16, "images.deb.exam…"), ("abc", 3, "abc"), ("abcd", 3, "ab…"),
    ("日本", 3, "日…"), ("日本", 2, "…"), ("abc", 0, ""),
  ])
  func `sentences lose their end`(text: String, columns: Int, shown: String) {
    #expect(Shortened.end(text, columns: columns, glyphs: .unicode) == shown)
  }
}
