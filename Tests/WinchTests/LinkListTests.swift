// SPDX-License-Identifier: Apache-2.0
//
// LinkListTests: lists as people have them, and the ones that cannot be read.

import Glibc
import Testing

@testable import winch

private struct NotALink: Error {}

/// Takes a list apart with a judge that wants `http` at the beginning.
private func list(_ bytes: [UInt8]) -> LinkList<String, NotALink> {
  LinkList(bytes) { $0.hasPrefix("http") ? .success($0) : .failure(NotALink()) }
}

private func list(_ text: String) -> LinkList<String, NotALink> {
  list(Array(text.utf8))
}

@Suite("Lists of links")
struct LinkListTests {
  @Test(
    "The same links come out however the lines are written",
    arguments: [
      "http://a/1\nhttp://a/2\n", "http://a/1\r\nhttp://a/2\r\n", "http://a/1\nhttp://a/2",
      "\u{FEFF}http://a/1\nhttp://a/2\n", "\u{FEFF}http://a/1\r\nhttp://a/2",
      "# a comment\n\n  \nhttp://a/1\n\t # another\n\thttp://a/2  \n\r\n",
    ]
  )
  func sameLinks(_ text: String) {
    #expect(list(text).good.map(\.text) == ["http://a/1", "http://a/2"])
    #expect(list(text).bad.isEmpty)
  }

  @Test("Bad lines keep their numbers and spoil no other line")
  func badLines() {
    let result = list("http://a/1\nnot a link\n\n# http://a/3\n; no comment\n http://a/#2 \n")
    #expect(result.good.map(\.number) == [1, 6])
    #expect(result.good.map(\.link) == ["http://a/1", "http://a/#2"])
    #expect(result.bad.map(\.number) == [2, 5])
    #expect(result.bad.map(\.text) == ["not a link", "; no comment"])
  }

  @Test("A line that is not UTF-8 is a bad line")
  func notText() throws {
    let result = list(
      Array("http://a/1\nhttp://a/".utf8) + [0xD6, 0xD0, 10] + Array("http://b".utf8)
    )
    #expect(result.good.map(\.number) == [1, 3])
    let line = try #require(result.bad.first)
    guard case .notText = line.problem else {
      Issue.record("\(line)")
      return
    }
    #expect(line.number == 2)
  }

  @Test("Nothing comes out of nothing", arguments: ["", "\n", "\u{FEFF}", "\r\n \t\r\n", "#"])
  func nothing(_ text: String) {
    #expect(list(text).good.isEmpty && list(text).bad.isEmpty)
  }

  @Test("Ten thousand lines are ten thousand links")
  func manyLines() {
    let text = (0..<10_000).map { "http://a/\($0)\n" }.joined()
    #expect(list(text).good.count == 10_000)
    #expect(list(text).good.last?.number == 10_000)
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
