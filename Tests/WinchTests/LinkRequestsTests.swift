// SPDX-License-Identifier: Apache-2.0
//
// LinkRequestsTests: from links and lists to requests, with what the command line says; and the
// same for the add dialog.

import Dashboard
import Glibc
import Testing
import Transfers

@testable import winch

private let digest = String(repeating: "0123456789abcdef", count: 4)

/// Writes a list for the time of a call.
private func withList<T>(_ text: String, _ body: (String) throws -> T) throws -> T {
  var path = Array("/tmp/winch-list-XXXXXX".utf8CString)
  let descriptor = mkstemp(&path)
  let name = String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  defer { unlink(name) }
  let bytes = Array(text.utf8)
  #expect(write(descriptor, bytes, bytes.count) == bytes.count)
  close(descriptor)
  return try body(name)
}

private func requests(_ text: String, _ words: String...) throws -> LinkRequests {
  try withList(text) { path in
    LinkRequests(try Options(parsing: words + ["-i", path]).resolved(against: "/w"))
  }
}

@Suite("Requests from lists")
struct LinkRequestsTests {
  @Test("What a list says of its own goes before what the command line says of all")
  func overrides() throws {
    let text = """
      http://a/1\thttp://b/1
       dir=sub
       out=x
       header=X-Key: mine
      http://a/2
      curl http://a/3 -k
       dir=/abs
      """
    let made = try requests(text, "-d", "/d", "-H", "x-key: all", "-H", "Other: o", "-n", "3")
    #expect(made.problems.isEmpty)
    #expect(made.requests.map { $0.mirrors.count } == [2, 1, 1])
    #expect(made.requests.map(\.directory) == ["/d/sub", "/d", "/abs"])
    #expect(made.requests.map(\.name) == ["x", nil, nil])
    #expect(made.requests.map(\.trust) == [.system, .system, .anything])
    #expect(made.requests[0].headers.map(\.value) == ["o", "mine"])
    #expect(made.requests[1].headers.map(\.value) == ["all", "o"])
    #expect(made.requests.allSatisfy { $0.connections == .fixed(3) })
  }

  @Test("A file asked for twice in the same place is fetched once")
  func duplicates() throws {
    let text = """
      http://127.0.0.1/f0?size=10K
      http://127.0.0.1/f0?size=10K
      http://127.0.0.1/f0?size=10K&x=1
      http://localhost/f0?size=10K
      http://127.0.0.1/f0?size=10K
       out=copy
      """
    let made = try requests(text, "http://127.0.0.1/f0?size=10K")
    #expect(
      made.requests.map(\.link.origin.host) == ["127.0.0.1", "127.0.0.1", "localhost", "127.0.0.1"]
    )
    #expect(made.requests.map(\.name) == [nil, nil, nil, "copy"])
  }

  @Test("Problems name list, line and reason, and hold no secret and no control")
  func problems() throws {
    let text = """
      -H 'Cookie: s3cret' \\
      Authorization: Bearer s3cret
      http://ann:s3cret@h:99999/\u{1B}
      http://a/1
       header=s3cret
      http://a/2
       foo=s3cret\u{1B}
       http-passwd=s3cret
      curl http://a/3 -d s3cret
      https://a:99999/x' -H 'Cookie: s3cret'
      """
    let made = try requests(text)
    #expect(made.requests.map(\.link.text) == ["http://a/2"])
    let numbers = [1, 2, 3, 5, 7, 8, 9, 10]
    #expect(made.problems.count == numbers.count)
    for (line, number) in zip(made.problems, numbers) {
      #expect(line.contains(", line \(number): "), "\(line)")
      #expect(!line.contains("s3cret") && !line.contains("\u{1B}"), "\(line)")
    }
    #expect(made.problems.contains { $0.hasSuffix("; what line 4 asks for is left out") })
  }

  @Test("A link on the command line may bring its checksum")
  func commandLine() throws {
    let options = try Options(parsing: ["http://a/x#sha256=\(digest)", "http://a/y#z=1", " "])
    let made = LinkRequests(options)
    #expect(made.requests.map { $0.checksum?.hex } == [digest, nil])
    #expect(made.problems == ["there is no link"])
  }
}

@Suite("Lines of the add dialog")
struct LinkJudgeTests {
  private func verdicts(_ lines: String...) throws -> [LineVerdict] {
    let options = try Options(parsing: ["-d", "/d", "-o", "own", "http://x/"])
    return LinkJudge.verdicts(options.resolved(against: "/w"))(lines)
  }

  @Test("A pasted command and a link with options are one download each")
  func severalLines() throws {
    let found = try verdicts(
      "curl 'https://a/1' \\",
      "  -H 'X-Key: k' \\",
      "  --compressed",
      "",
      "# note",
      "http://a/2\thttp://b/2",
      "  out=two",
      "  bogus=1"
    )
    #expect(found.count == 8)
    guard case .good(let command, "") = found[0], case .good(let link, "") = found[5] else {
      Issue.record("\(found)")
      return
    }
    #expect(command.link.text == "https://a/1")
    #expect(command.headers.map(\.name) == ["X-Key"])
    #expect(command.directory == "/d" && command.name == nil)
    #expect(link.mirrors.count == 2)
    #expect(link.name == "two")
    #expect([1, 2, 3, 4, 6].allSatisfy { found[$0] == .nothing })
    #expect(found[7] == .notALink("no option of a list"))
  }

  @Test("A link without a scheme is completed, what cannot be fetched is told apart")
  func kinds() throws {
    let found = try verdicts("example.org/x", "gopher://a/1", "no way", "http://a/1\tgopher://b/1")
    guard case .noScheme(let request) = found[0], case .good(_, let note) = found[3] else {
      Issue.record("\(found)")
      return
    }
    #expect(request.link.text == "https://example.org/x")
    #expect(found[1] == .unsupportedScheme("gopher"))
    #expect(found[2] == .notALink("not a link"))
    #expect(note == "a scheme that is not supported")
  }
}
