// SPDX-License-Identifier: Apache-2.0
//
// CurlCommandTests: commands as browsers copy them, and those that cannot be carried out.

import Testing
import Transfers

@testable import winch

private func list(_ text: String) -> LinkList { LinkList(Array(text.utf8)) }

private func headers(_ entry: ListEntry) -> [String] {
  entry.headers.map { "\($0.name): \($0.value)" }
}

@Suite("Words of a shell")
struct ShellWordsTests {
  @Test(
    "Words come out as bash makes them",
    arguments: [
      (#"a 'b c'  "d e""#, ["a", "b c", "d e"]),
      (#"a'b'"c"d\ e"#, ["abcd e"]),
      (#"'' "" $''"#, ["", "", ""]),
      (#"'a\b"c' "a\b\"\$\\c" a\bc"#, [#"a\b"c"#, #"a\b"$\c"#, "abc"]),
      (#"$'it\'s \x41\u00e9\U0001F600\101\t\\\"\?\q'"#, ["it's A\u{E9}\u{1F600}A\t\\\"?\\q"]),
      (#"$'\1234' $'\x4g'"#, ["S4", "\u{4}g"]),
      (#"$"a b" a$ $1 "$ ""#, ["a b", "a$", "$1", "$ "]),
      (#"a?b=1&c=2#d # comment 'open"#, ["a?b=1&c=2#d"]),
      ("é'測試'\t*", ["é測試", "*"]),
      ("", []),
    ]
  )
  func words(_ text: String, _ words: [String]) throws {
    #expect(try ShellWords(text).words == words)
  }

  @Test(
    "What is not closed, needs a shell or makes no text is refused",
    arguments: [
      ("'a", ListProblem.command(.notClosed)), (#""a\""#, .command(.notClosed)),
      (#"$'a\'"#, .command(.notClosed)), (#"a\"#, .command(.notClosed)),
      ("a | b", .command(.shellSyntax)), ("a > b", .command(.shellSyntax)),
      ("a; b", .command(.shellSyntax)), ("a && b", .command(.shellSyntax)),
      ("$HOME", .command(.shellSyntax)), (#""$(id)""#, .command(.shellSyntax)),
      ("`id`", .command(.shellSyntax)), (#"$'\xff'"#, .notText), (#"$'\ud800'"#, .notText),
      (#"$'\x'"#, .notText),
    ]
  )
  func refused(_ text: String, _ problem: ListProblem) {
    #expect(throws: problem) { try ShellWords(text) }
  }
}

@Suite("curl commands")
struct CurlCommandTests {
  @Test("A command as Chrome copies it is one file")
  func chrome() throws {
    let result = list(
      #"""
      http://a/before
      curl 'https://example.org/get?file=a%20b&x=1' \
        -H 'authority: example.org' \
        -H 'accept: text/html,*/*;q=0.8' \
        -H 'accept-encoding: gzip, deflate, br' \
        -H 'range: bytes=0-' \
        -H 'if-none-match: "abc"' \
        -H 'Host: example.org' \
        -H 'TE: trailers' \
        -H 'Connection: keep-alive' \
        -H $'x-quote: it\'s \u0021' \
        -b 'session=s3cret; other=1' \
        -H 'user-agent: Mozilla/5.0 (X11; Linux)' \
        --compressed
      http://a/after
      """#
    )
    #expect(result.problems.isEmpty)
    #expect(result.entries.map(\.number) == [1, 2, 15])
    let file = result.entries[1].file
    #expect(file.links.map(\.text) == ["https://example.org/get?file=a%20b&x=1"])
    #expect(
      headers(file) == [
        "accept: text/html,*/*;q=0.8", "x-quote: it's !", "Cookie: session=s3cret; other=1",
        "user-agent: Mozilla/5.0 (X11; Linux)",
      ]
    )
  }

  @Test(
    "Options set what they are about",
    arguments: [
      "curl -L -o x.iso http://a/1 -k -A Me -e http://r/ -u ann:p:w",
      "curl -sSLo x.iso -kAMe -ehttp://r/ -X GET --user ann:p:w --url http://a/1",
      "curl -XGET --output x.iso --insecure --user-agent Me --referer 'http://r/;auto' a/1 -uann:p:w",
      "  curl\thttp://a/1 -C - --retry 3 -H 'User-Agent: Me' -H 'X:' -H 'Referer:http://r/' \\ \r\n"
        + "\t-o x.iso -k -u 'ann:p:w'",
    ]
  )
  func options(_ text: String) throws {
    let result = list(text)
    #expect(result.problems.isEmpty, "\(result.problems)")
    let file = try #require(result.entries.first).file
    #expect(file.links.map(\.text) == ["http://a/1"])
    #expect(file.links[0].login == Login(user: "ann", password: "p:w"))
    #expect(file.name == "x.iso")
    #expect(file.directory == nil)
    #expect(file.trust == .anything)
    #expect(headers(file) == ["User-Agent: Me", "Referer: http://r/"])
  }

  @Test("Paths, fields without a value, and options below the command")
  func more() throws {
    let text = "curl -o s/x --output-dir /d -H 'X-Empty;' 'http://a/1'\n  dir=/e\n"
    let file = try #require(list(text).entries.first).file
    #expect(file.directory == "/e")
    #expect(file.name == "x")
    #expect(headers(file) == ["X-Empty: "])
    let other = try #require(list("curl -o s/x --output-dir /d http://a/1").entries.first).file
    #expect(other.directory == "/d/s")
  }

  @Test(
    "What winch cannot do is refused with the reason, and no secret is told",
    arguments: [
      ("-d k3y=v http://a/1", CommandProblem.sendsData), ("--data-raw '{}' http://a/1", .sendsData),
      ("http://a/1 --json k3y", .sendsData), ("-F k3y=@f http://a/1", .sendsData),
      ("-T k3y http://a/1", .sendsData), ("-X POST http://a/k3y", .otherMethod),
      ("-I http://a/k3y", .otherMethod), ("http://a/k3y http://a/2", .severalLinks),
      ("-H 'Cookie: k3y'", .noLink), ("-b k3y.txt http://a/1", .readsFile),
      ("-H @k3y http://a/1", .readsFile), ("-u k3y http://a/1", .noPassword),
      ("--oauth2-bearer=k3y http://a/1", .unknownOption("--oauth")),
      ("--proxy http://k3y http://a/1", .unknownOption("--proxy")),
      ("-xk3y http://a/1", .unknownOption("-x")), ("http://a/1 -H", .noValue),
      ("http://a/1 -H 'Cookie: k3y", .notClosed), ("http://a/k3y | sh", .shellSyntax),
      ("^\"http://a/k3y^\" ^\n  -H ^\"Cookie: k3y^\"", .windows),
    ]
  )
  func refused(_ command: String, _ problem: CommandProblem) throws {
    let result = list("http://a/before\ncurl \(command)\nhttp://a/after\n")
    #expect(result.entries.map(\.file.links[0].path) == ["/before", "/after"])
    #expect(result.problems.map(\.reason) == [.command(problem)])
    #expect(result.problems.map(\.number) == [2])
    let told = result.problems.map { $0.text + $0.reason.line + $0.reason.short }
    #expect(!told.joined().contains("k3y"))
    #expect(told.allSatisfy { !$0.contains("\n") })
  }

  @Test("A header or a link of a command that cannot be used refuses it without showing it")
  func badParts() {
    let result = list(
      "curl http://a/1 -H 'X k3y: 1'\ncurl 'ftp://k3y/'\ncurl http://a/ -H $'A: b\\nC: d'"
    )
    #expect(result.entries.isEmpty)
    #expect(result.problems.map(\.number) == [1, 2, 3])
    #expect(!result.problems.contains { ($0.text + $0.reason.line).contains("k3y") })
  }

  @Test("A command ends with its last line, with a blank line and with the list")
  func ends() {
    let result = list("curl http://a/1 \\\n\nhttp://a/2\ncurl http://a/3 \\\r\n -k \\")
    #expect(result.problems.isEmpty)
    #expect(result.entries.map(\.file.links[0].text) == ["http://a/1", "http://a/2", "http://a/3"])
    #expect(result.entries.map(\.file.trust) == [nil, nil, .anything])
  }

  @Test("A line of a command that is not text refuses the command only")
  func notText() {
    let bytes = Array("curl http://a/1 \\\n -H 'X: ".utf8) + [0xFF] + Array("'\nhttp://a/2".utf8)
    let result = LinkList(bytes)
    #expect(result.entries.map(\.file.links[0].text) == ["http://a/2"])
    #expect(result.problems.map(\.number) == [2])
    #expect(result.problems.map(\.leavesOut) == [1])
  }

  @Test("A command of very many lines is read in time that grows with its length")
  func manyLines() {
    let text = "curl http://a/1 \\\n" + String(repeating: " -k \\\n", count: 100_000)
    #expect(list(text).entries.count == 1)
  }
}
