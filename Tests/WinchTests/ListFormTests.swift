// SPDX-License-Identifier: Apache-2.0
//
// ListFormTests: what stands beside and below a link: mirrors, checksums, options.

import Chance
import Testing
import Transfers

@testable import winch

private let digest = String(repeating: "0123456789abcdef", count: 4)

private func list(_ text: String) -> LinkList { LinkList(Array(text.utf8)) }

private func only(_ text: String) throws -> ListEntry {
  let list = list(text)
  #expect(list.problems.isEmpty, "\(list.problems)")
  #expect(list.entries.count == 1)
  return try #require(list.entries.first).file
}

private func headers(_ entry: ListEntry) -> [String] {
  entry.headers.map { "\($0.name): \($0.value)" }
}

@Suite("Mirrors and checksums on a line")
struct LinkLineTests {
  @Test(
    "Links separated by tabs are one file with mirrors",
    arguments: [
      "http://a/1\thttps://b/1\thttp://c/1", "\t http://a/1 \t\t https://b/1\thttp://c/1\t\r",
      "http://a/1\thttps://b/1\thttp://a/1\thttp://c/1",
    ]
  )
  func mirrors(_ line: String) throws {
    #expect(try only(line).links.map(\.text) == ["http://a/1", "https://b/1", "http://c/1"])
  }

  @Test("A bad mirror is reported, and the others serve the file")
  func badMirror() throws {
    let result = list("http://a/1\tgopher://b/1\tnonsense\thttp://c/1\nhttp://d/1")
    #expect(
      result.entries.map { $0.file.links.map(\.text) } == [
        ["http://a/1", "http://c/1"], ["http://d/1"],
      ]
    )
    #expect(result.problems.map(\.number) == [1, 1])
    #expect(result.problems.map(\.text) == ["gopher://b/1", ""])
    #expect(result.problems.allSatisfy { $0.leavesOut == nil })
  }

  @Test(
    "A checksum is the last word, a field of its own or the fragment",
    arguments: [
      "http://a/x sha256=\(digest)", "http://a/x  SHA-256=\(digest.uppercased())",
      "http://a/x\tsha256=\(digest)", "http://a/x#sha256=\(digest)",
      "http://a/x#sha-256=\(digest)", "http://a/x#egg=x&sha256=\(digest)",
      "http://a/x sha-256:\(digest)", "http://a/x\n  sha256=\(digest)",
      "http://a/x\nsha256=\(digest)",
      "http://a/x\n checksum=sha-256=\(digest)", "http://a/x\n\tchecksum=sha-256:\(digest)",
    ]
  )
  func checksum(_ text: String) throws {
    let entry = try only(text)
    #expect(entry.links.map(\.text) == ["http://a/x"])
    #expect(entry.checksum?.text == "sha-256:\(digest)")
  }

  @Test("Other words and fragments are parts of the link")
  func noChecksum() throws {
    for text in ["http://a/x size=10", "http://a/x#part=2", "http://a/x?sha256=00"] {
      #expect(try only(text).checksum == nil)
    }
    #expect(try only("http://a/x y=1").links[0].text == "http://a/x%20y=1")
  }

  @Test(
    "A checksum that cannot be read leaves its link out and says so",
    arguments: [
      "http://a/x sha256=00", "http://a/x#sha256=\(digest)0", "http://a/x\thttp://b/x\tmd5=zz",
      "http://a/x\n checksum=sha-256=00", "http://a/x\n checksum=adler32=03da0195",
      "http://a/x\n checksum=", "http://a/x\n sha256=\n dir=/d",
    ]
  )
  func badChecksum(_ text: String) {
    let result = list(text + "\nhttp://b/2\n")
    #expect(result.entries.map(\.file.links[0].text) == ["http://b/2"])
    #expect(result.problems.count == 1)
  }
}

@Suite("Options below a link")
struct OptionLineTests {
  @Test("Each option is about the link above it")
  func options() throws {
    let result = list(
      """
      http://a/1
        dir=/srv/iso
        out=one.iso

      # a comment ends nothing
      \tchecksum=sha-256=\(digest)
        header=X-Key:  a:b=c
        header=Range: bytes=0-1
        referer=http://r/
        user-agent=Me/1.0
        max-download-limit=1M
        http://a/2
        max-download-limit=0
       out=sub/two.iso
      http://a/3
      """
    )
    #expect(result.problems.isEmpty)
    #expect(result.entries.map(\.number) == [1, 12, 15])
    let files = result.entries.map(\.file)
    #expect(files.map(\.directory) == ["/srv/iso", "sub", nil])
    #expect(files.map(\.name) == ["one.iso", "two.iso", nil])
    #expect(files.map(\.rateLimit) == [ByteRate(1 << 20), nil, nil])
    #expect(files[0].checksum?.hex == digest)
    #expect(headers(files[0]) == ["X-Key: a:b=c", "Referer: http://r/", "User-Agent: Me/1.0"])
    #expect(files[1].headers.isEmpty)
  }

  @Test("A path as a name begins at the directory of the link")
  func paths() throws {
    #expect(try only("http://a/1\n dir=/d\n out=s/x").directory == "/d/s")
    #expect(try only("http://a/1\n dir=/d\n out=/s/x").directory == "/s")
    #expect(try only("http://a/1\n out=/x").directory == "/")
  }

  @Test("An unknown option is reported with its number and its name, and the link is kept")
  func unknownOption() throws {
    let result = list("http://a/1\n split=5\n http-passwd=secret\n out=x\nhttp://a/2")
    #expect(result.entries.map(\.file.links[0].text) == ["http://a/1", "http://a/2"])
    #expect(result.entries.first?.file.name == "x")
    #expect(result.problems.map(\.number) == [2, 3])
    #expect(result.problems.map(\.text) == ["split=…", "http-passwd=…"])
    #expect(result.problems.map(\.reason) == [.unknownOption, .unknownOption])
  }

  @Test(
    "A value that cannot be used leaves the link out, whose line is named",
    arguments: [
      ("out=", ListProblem.noValue), ("out=d/", .notAFileName), ("out=..", .notAFileName),
      ("dir=", .noValue), ("header=no colon", .badHeader), ("header=X Y: 1", .badHeader),
      ("referer=a\u{0}b", .badHeader),
    ]
  )
  func badValue(_ option: String, _ reason: ListProblem) throws {
    let result = list("# list\nhttp://a/1\n \(option)\n dir=/d\nhttp://a/2")
    #expect(result.entries.map(\.file.links[0].text) == ["http://a/2"])
    #expect(result.problems.map(\.reason) == [reason])
    #expect(result.problems.map(\.number) == [3])
    #expect(result.problems.map(\.leavesOut) == [2])
  }

  @Test("Options without a link are reported, those of a bad link are part of it")
  func withoutLink() {
    let result = list(" dir=/d\nnonsense\n dir=/d\n out=x\nhttp://a/1")
    #expect(result.problems.map(\.number) == [1, 2])
    #expect(result.problems.first?.reason == .optionWithoutLink)
    #expect(result.entries.map(\.file.directory) == [nil])
  }
}

@Suite("Any bytes as a list")
struct AnyListTests {
  /// What lists are made of, so that random ones reach every state.
  private static let parts = [
    "http://a/1", "https://b/2", "curl ", "\\\n", "\n", "\r\n", "\t", " ", "'", "\"", "$'", "\\x4",
    "\\u00e", "\\7", "-H ", "-b ", "a=b", "--data x", "dir=", "out=/", "sha256=00", "#", ":", "^",
    "@",
    "é", "\u{FEFF}", "\u{301}", "$", "&", "=",
  ]

  @Test("Random bytes never trap, and what comes out lies in the list", arguments: 0..<20)
  func anyBytes(_ seed: UInt64) {
    var random = SplitMix(seed: seed)
    for _ in 0..<200 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<60, using: &random) {
        if Int.random(in: 0..<8, using: &random) == 0 {
          bytes.append(UInt8.random(in: 0...255, using: &random))
        } else {
          bytes += Array(Self.parts.randomElement(using: &random, or: "").utf8)
        }
      }
      check(LinkList(bytes), lines: bytes.count { $0 == 10 } + 1, bytes)
      let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
      check(LinkList(typed: lines), lines: lines.count, bytes)
    }
  }

  private func check(_ list: LinkList, lines: Int, _ bytes: [UInt8]) {
    let numbers = list.entries.map(\.number)
    #expect(numbers == Array(Set(numbers)).sorted(), "\(bytes)")
    #expect((numbers + list.problems.map(\.number)).allSatisfy { (1...lines).contains($0) })
    #expect(list.entries.allSatisfy { !$0.file.links.isEmpty })
    #expect(list.problems.allSatisfy { $0.reason.short.count <= 40 })
  }
}

extension [String] {
  fileprivate func randomElement(using random: inout SplitMix, or other: String) -> String {
    randomElement(using: &random) ?? other
  }
}
