// SPDX-License-Identifier: Apache-2.0
//
// Bytes to keys, however they are cut.

import Frames
import Terminal
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Feeds pieces and ends with silence.
private func keys(_ pieces: [[UInt8]]) -> [Key] {
  var decoder = KeyDecoder()
  return pieces.flatMap { decoder.feed($0) } + decoder.timeout()
}

@Suite struct KeyDecoderTests {
  static let known: [(String, [Key])] = [
    ("a", [.character("a")]), (" ", [.character(" ")]), ("é", [.character("é")]),
    ("日", [.character("日")]), ("😀", [.character("😀")]), ("\r", [.enter]), ("\n", [.newline]),
    ("\t", [.tab]), ("\u{7F}", [.backspace]), ("\u{8}", [.backspace]), ("\u{1}", [.control("a")]),
    ("\u{1A}", [.control("z")]), ("\u{0}", [.control("@")]), ("\u{1C}", [.control("\\")]),
    ("\u{1F}", [.control("_")]), ("\u{1B}", [.escape]), ("\u{1B}\u{1B}", [.escape, .escape]),
    ("\u{1B}a", [.alt("a")]), ("\u{1B}é", [.alt("é")]), ("\u{1B}\u{7F}", [.control("w")]),
    ("\u{1B}\r", [.escape, .enter]), ("\u{1B}[A", [.up]), ("\u{1B}OA", [.up]),
    ("\u{1B}[B", [.down]), ("\u{1B}[C", [.right]), ("\u{1B}OD", [.left]), ("\u{1B}[H", [.home]),
    ("\u{1B}[F", [.end]), ("\u{1B}[1~", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}[7~", [.home]),
    ("\u{1B}[8~", [.end]), ("\u{1B}[2~", [.insert]), ("\u{1B}[3~", [.delete]),
    ("\u{1B}[5~", [.pageUp]), ("\u{1B}[6~", [.pageDown]), ("\u{1B}[Z", [.backTab]),
    ("\u{1B}OP", [.function(1)]), ("\u{1B}[[A", [.function(1)]), ("\u{1B}[[E", [.function(5)]),
    ("\u{1B}[11~", [.function(1)]), ("\u{1B}[15~", [.function(5)]),
    ("\u{1B}[24~", [.function(12)]), ("\u{1B}[1;5A", [.up]), ("\u{1B}[1;2P", [.function(1)]),
    ("\u{1B}[3;5~", [.delete]), ("\u{1B}[3$", [.delete]), ("\u{1B}[7^", [.home]),
    ("\u{1B}[a", [.up]), ("\u{1B}Oa", [.up]), ("\u{1B}OM", [.enter]),
    ("\u{1B}[200~one\rtwo\r\nthree\n\u{1B}[201~", [.paste("one\ntwo\nthree\n")]),
    ("\u{1B}[200~\u{1B}[201~", [.paste("")]),
    ("\u{1B}[200~日本\t\u{1B}[31m\u{0}\u{7}\u{9B}x\u{1B}[201~", [.paste("日本\t[31mx")]),
    ("j\u{1B}[200~q\u{1B}[201~k", [.character("j"), .paste("q"), .character("k")]),
    ("\u{1B}[201~x", [.character("x")]),
  ]

  static let swallowed: [String] = [
    "\u{1B}[M !!", "\u{1B}[<0;10;20M", "\u{1B}[<0;10;20m", "\u{1B}[I", "\u{1B}[O", "\u{1B}[0n",
    "\u{1B}[12;40R", "\u{1B}[1;2R", "\u{1B}[?2026;2$y", "\u{1B}[?1;2c", "\u{1B}[>41;379;0c",
    "\u{1B}]11;rgb:0000/0000/0000\u{7}", "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\",
    "\u{1B}P>|XTerm(379)\u{1B}\\", "\u{1B}P1+r544e=787465726d\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\",
    "\u{1B}^private\u{1B}\\", "\u{1B}Xstring\u{1B}\\", "\u{1B}[97;5u", "\u{1B}[27;5;106~",
    "\u{1B}[?62;c", "\u{1B}[8;24;80t", "\u{1B}[99~", "\u{1B}[?1049h", "\u{1B}[38;5;1m",
    "\u{1B}[1;1;1;1A", "\u{1B}[ q", "\u{1B}[E", "\u{1B}[G", "\u{1B}OE", "\u{1B}[[Z",
  ]

  @Test(arguments: known)
  func `every key is known wherever its bytes are cut`(text: String, wanted: [Key]) {
    let all = bytes(text)
    #expect(keys([all]) == wanted)
    #expect(keys(all.map { [$0] }) == wanted)
    for cut in 0...all.count {
      #expect(keys([Array(all[..<cut]), Array(all[cut...])]) == wanted)
    }
  }

  @Test(arguments: swallowed)
  func `unknown sequences are swallowed whole wherever they are cut`(text: String) {
    let all = bytes(text + "x")
    for first in 0...all.count {
      for second in first...all.count {
        let pieces = [all[..<first], all[first..<second], all[second...]].map(Array.init)
        #expect(keys(pieces) == [.character("x")])
      }
    }
  }

  @Test func `all keys one after the other survive every cut`() {
    let parts = Self.known.filter { !$0.0.hasSuffix("\u{1B}") && $0.0 != "\u{1B}\u{1B}" }
    let all = parts.flatMap { bytes($0.0) }
    let wanted = parts.flatMap(\.1)
    // Two pastes in one read with keys between them are one, for safety: cut between them.
    #expect(keys(all.map { [$0] }) == wanted)
    for size in [2, 3, 5] {
      let pieces = stride(from: 0, to: all.count, by: size).map {
        Array(all[$0..<min($0 + size, all.count)])
      }
      #expect(keys(pieces) == wanted)
    }
  }

  @Test(arguments: [("[2;2R", 1), ("[2;3R", 2), ("[1;3R", nil), ("[9;3R", nil), ("[2R", nil)])
  func `where the cursor is after a block tells its width, and is no key`(end: String, width: Int?)
  {
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in Array("\u{1B}\(end)j".utf8) { keys += decoder.feed([byte]) }
    #expect(keys == [.character("j")])
    #expect(decoder.blockWidth == width)
  }

  @Test func `only a lone escape waits, sequences go on waiting through silence`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]).isEmpty && decoder.isWaiting)
    #expect(decoder.timeout() == [.escape])
    #expect(!decoder.isWaiting)
    #expect(decoder.feed(bytes("\u{1B}[")).isEmpty && !decoder.isWaiting)
    #expect(decoder.timeout().isEmpty)
    #expect(decoder.feed(bytes("0n")).isEmpty)
    #expect(decoder.statusReports == 1)
    #expect(decoder.feed(bytes("0n")) == [.character("0"), .character("n")])
  }

  @Test(
    arguments: [
      [0xFF], [0xC3, 0x28], [0xE6, 0x97], [0x80], [0x9B, 0x41], [0xF5], [0xC0, 0x80],
      [0xED, 0xA0, 0x80],
    ] as [[UInt8]]
  )
  func `bytes that are not UTF-8 never hide the next key`(broken: [UInt8]) {
    for cut in 0...broken.count {
      let found = keys([Array(broken[..<cut]), broken[cut...] + [0x6A]])
      #expect(found.last == .character("j"))
    }
  }

  @Test func `an end mark inside a paste ends nothing`() {
    let text = "\u{1B}[200~good\u{1B}[201~qQ\u{1B}[200~\r\u{1B}[201~"
    #expect(keys([bytes(text)]) == [.paste("goodqQ\n")])
  }

  @Test func `a thousand links arrive as one paste`() {
    let links = (0..<1000).map { "https://example.org/a/part-\($0).rar" }
    let all = bytes("\u{1B}[200~" + links.joined(separator: "\r") + "\u{1B}[201~")
    let pieces = stride(from: 0, to: all.count, by: 4095).map {
      Array(all[$0..<min($0 + 4095, all.count)])
    }
    #expect(keys(pieces) == [.paste(links.joined(separator: "\n"))])
  }

  @Test func `links without brackets are one paste, to the last letter`() {
    let links = "https://example.org/a/part-01.rar\rhttps://example.org/b.rar\r"
    let wanted = Key.paste(links.replacing("\r", with: "\n"))
    let all = bytes(links)
    for cut in 12...all.count {
      #expect(keys([Array(all[..<cut]), Array(all[cut...])]) == [wanted])
    }
    #expect(keys([all, [0x1B]]) == [wanted, .escape])
    #expect(keys([all, bytes("\u{1B}[A")]) == [wanted, .up])
  }

  @Test(arguments: ["jjjjjjjjjjjjjjj", "jjjj\rkkkk\r", "pdr", "q\r", "   \t\t\t   "])
  func `keys typed ahead are not a paste`(text: String) {
    let found = keys([bytes(text)])
    #expect(found.count == text.utf8.count)
  }

  @Test func `an endless paste is cut and still ends`() {
    var decoder = KeyDecoder()
    _ = decoder.feed(bytes("\u{1B}[200~"))
    let block = [UInt8](repeating: 0x61, count: 60000)
    for _ in 0..<40 { #expect(decoder.feed(block).isEmpty) }
    #expect(decoder.feed(bytes("\u{1B}[20")).isEmpty)
    guard case .paste(let text) = decoder.feed(bytes("1~")).first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count <= 1 << 20 && text.utf8.count > 1_000_000)
  }
}
