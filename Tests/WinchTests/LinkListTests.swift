// SPDX-License-Identifier: Apache-2.0
//
// LinkListTests: lists as people have them, and the ones that cannot be read.

import Glibc
import Testing
import Transfers

@testable import winch

private func list(_ text: String) -> LinkList { LinkList(Array(text.utf8)) }

@Suite("Lists of links")
struct LinkListTests {
  @Test(
    "The same links come out however the lines are written",
    arguments: [
      "http://a/1\nhttp://a/2\n", "http://a/1\r\nhttp://a/2\r\n", "http://a/1\nhttp://a/2",
      "\u{FEFF}http://a/1\nhttp://a/2\n", "\u{FEFF}http://a/1\r\nhttp://a/2",
      "# a comment\n\n  \nhttp://a/1\n\t # another\n\thttp://a/2  \n\r\n",
      "  http://a/1\n\u{A0}http://a/2\u{3000}\n",
    ]
  )
  func sameLinks(_ text: String) {
    let bytes = list(text)
    let typed = LinkList(typed: text.split(whereSeparator: \.isNewline).map(String.init))
    for list in [bytes, typed] {
      #expect(list.entries.flatMap(\.file.links).map(\.text) == ["http://a/1", "http://a/2"])
      #expect(list.problems.isEmpty)
    }
  }

  @Test("Bad lines keep their numbers and their reasons and spoil no other line")
  func badLines() {
    let result = list(
      """
      http://a/0
      not a url
      http://
      http:///nohost

      gopher://127.0.0.1:1/x
      file:///etc/hostname
      javascript:alert(1)
      http://[::1/bad
      ; no comment
      http://a/e\u{1B}[2Jsc
       http://a/#2
      """
    )
    #expect(result.entries.map(\.number) == [1, 12])
    #expect(result.entries.map(\.file.links[0].text) == ["http://a/0", "http://a/"])
    let reasons = result.problems.map { "\($0.number) \($0.reason.short)" }
    #expect(
      reasons == [
        "2 not a link", "3 no usable host", "4 no usable host", "6 a scheme that is not supported",
        "7 a scheme that is not supported", "8 not a link", "9 no usable host", "10 not a link",
        "11 a control character in it",
      ]
    )
  }

  @Test("A line that is not UTF-8 is a bad line")
  func notText() throws {
    let result = LinkList(
      Array("http://a/1\nhttp://a/".utf8) + [0xD6, 0xD0, 10] + Array("http://b".utf8)
    )
    #expect(result.entries.map(\.number) == [1, 3])
    #expect(result.problems.map(\.reason) == [.notText])
    #expect(result.problems.map(\.number) == [2])
  }

  @Test("Nothing comes out of nothing", arguments: ["", "\n", "\u{FEFF}", "\r\n \t\r\n", "#"])
  func nothing(_ text: String) {
    #expect(list(text).entries.isEmpty && list(text).problems.isEmpty)
  }

  @Test("Ten thousand lines are ten thousand links")
  func manyLines() {
    let text = (0..<10_000).map { "http://a/\($0)\n" }.joined()
    #expect(list(text).entries.count == 10_000)
    #expect(list(text).entries.last?.number == 10_000)
  }

  @Test(
    "A link keeps what it has, and only what cannot be sent is encoded",
    arguments: [
      ("http://a/a b c.bin?s=1", "http://a/a%20b%20c.bin?s=1"),
      ("http://a/br[1]{2}.bin", "http://a/br[1]{2}.bin"),
      ("http://a/naïve-測試.bin", "http://a/na%c3%afve-%e6%b8%ac%e8%a9%a6.bin"),
      ("http://a/pct%2Fslash.bin", "http://a/pct%2Fslash.bin"),
      ("http://a/frag.bin#/other.bin", "http://a/frag.bin"),
      ("http://a/pipe|caret^.bin", "http://a/pipe|caret^.bin"),
      ("http://a/x?a=1&amp;b=2", "http://a/x?a=1&amp;b=2"),
      ("http://a/x?y=%0d%0aX-Injected:%20yes", "http://a/x?y=%0d%0aX-Injected:%20yes"),
      ("http://a/" + String(repeating: "p", count: 9000), nil),
    ] as [(String, String?)]
  )
  func awkwardLinks(_ line: String, _ text: String?) {
    #expect(list(line).entries.flatMap(\.file.links).map(\.text) == [text ?? line])
    #expect(list(line).problems.isEmpty)
  }
}

@Suite("Reading a list")
struct ListSourceTests {
  @Test("Standard input is read to its end, however it arrives")
  func standardInput() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let text = "http://a/1\n"
    #expect(write(ends[1], text, text.utf8.count) == text.utf8.count)
    close(ends[1])
    defer { close(ends[0]) }
    #expect(try ListSource.read("-", standardInput: ends[0]) == Array(text.utf8))
  }

  @Test("A file is read whole")
  func file() throws {
    var path = Array("/tmp/winch-list-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(name) }
    let bytes = [UInt8](repeating: 0x61, count: 200_000)
    #expect(write(descriptor, bytes, bytes.count) == bytes.count)
    close(descriptor)
    #expect(try ListSource.read(name) == bytes)
  }

  @Test(
    "What cannot be read is answered with one line that names it",
    arguments: [("/nonexistent/list\u{1B}", ENOENT), ("/tmp", EISDIR), ("/dev/zero", EFBIG)]
  )
  func unreadable(_ path: String, _ code: Int32) {
    #expect(throws: ListError(path: path, code: code)) { try ListSource.read(path) }
    let line = ListError(path: path, code: code).line
    #expect(line.hasPrefix("cannot read the list /"))
    #expect(!line.contains("\u{1B}") && !line.contains("\n"))
  }
}
