// SPDX-License-Identifier: Apache-2.0
//
// Cookies out of a file: where they go, what a chain of redirects does to them, and which files are
// refused. Hosts that do not exist are reached through a proxy, so those tests have own processes.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

private let content = Content(key: "cookies", size: 500)

/// A line of a cookie file.
private func line(
  _ domain: String,
  _ name: String,
  path: String = "/",
  secure: Bool = false,
  expires: Int = 0
) -> String {
  let tail = domain.hasPrefix(".") ? "TRUE" : "FALSE"
  return "\(domain)\t\(tail)\t\(path)\t\(secure ? "TRUE" : "FALSE")\t\(expires)\t\(name)\tv\n"
}

@Suite struct CookieTests {
  @Test func cookiesGoWhereDomainPathAndSecureSay() async {
    await #expect(processExitsWith: .success) {
      withServer { proxy in
        setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        let file = PrivateFile(
          "cookies.txt",
          "# Netscape HTTP Cookie File\n" + line("a.example", "host") + line(".a.example", "domain")
            + line("a.example", "path", path: "/deep") + line("a.example", "tls", secure: true)
            + line("a.example", "old", expires: 1) + "#HttpOnly_" + line("b.example", "only")
        )
        let expected: [(String, Set<String>?)] = [
          ("http://a.example/f", ["host=v", "domain=v"]),
          ("http://a.example/deep/f", ["host=v", "domain=v", "path=v"]),
          ("http://sub.a.example/f", ["domain=v"]),
          ("http://b.example/f", ["only=v"]),
          ("http://a.example.evil/f", nil),
          ("http://c.example/f", nil),
        ]
        for (url, cookies) in expected {
          proxy.on(url, .file(content))
          precondition(fetch(url) { $0.cookieFile = file.path }.body == content.bytes)
          let sent = proxy.requests(url).last?.header("Cookie")
          precondition(sent.map(parts) == cookies, "\(url): \(sent ?? "none")")
        }
      }
    }
  }

  @Test func aRedirectTakesNoCookieToAnotherHost() {
    withServer { server in
      let file = PrivateFile("cookies.txt", line("127.0.0.1", "home"))
      server.on("/a", .redirect(to: server.otherURL("/b")))
      server.on("/b", .redirect(to: server.url("/c")))
      server.on("/c", .file(content))
      #expect(fetch(server.url("/a")) { $0.cookieFile = file.path }.body == content.bytes)
      #expect(server.requests.map { $0.header("Cookie") } == ["home=v", nil, "home=v"])
    }
  }

  @Test func whatAChainSetsHoldsForTheChainAndIsNotWritten() {
    withServer { server in
      let text = line("127.0.0.1", "kept") + line("127.0.0.1", "gone")
      let file = PrivateFile("cookies.txt", text)
      var first = Behaviour.redirect(to: "/b", cookie: "new=1")
      first.add("Set-Cookie: gone=; Max-Age=0; Path=/")
      server.on("/a", first)
      server.on("/b", .redirect(to: "/c"))
      server.on("/c", .file(content))
      let handles = HandleCache()
      for _ in 1...2 {
        let connection = BlockingConnection(handles: handles)
        let fetched = fetch(server.url("/a"), with: connection) { $0.cookieFile = file.path }
        #expect(fetched.body == content.bytes)
      }
      let sent = server.requests.map { parts($0.header("Cookie") ?? "") }
      let start: Set = ["kept=v", "gone=v"]
      let later: Set = ["kept=v", "new=1"]
      #expect(sent == [start, later, later, start, later, later])
      #expect(readFile(file.path) == text)
    }
  }

  @Test func theNextRunWithoutAFileSendsNone() {
    withServer { server in
      let file = PrivateFile("cookies.txt", line("127.0.0.1", "home"))
      server.on("/f", .file(content))
      let handles = HandleCache()
      _ = fetch(server.url("/f"), with: BlockingConnection(handles: handles)) {
        $0.cookieFile = file.path
      }
      _ = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
      #expect(server.requests.map { $0.header("Cookie") } == ["home=v", nil])
      #expect(Set(server.requests.map(\.connection)) == [1])
    }
  }

  @Test func aFileThatIsGoneFailsBeforeAnythingIsAsked() {
    withServer { server in
      server.on("/f", .file(content))
      let failure = fetch(server.url("/f")) { $0.cookieFile = "/nowhere/cookies.txt" }.failure
      #expect(failure?.kind == .noCookieFile)
      #expect(failure?.code == Int(ENOENT))
      #expect(failure?.remedy == .giveUp)
      #expect(server.requests.isEmpty)
    }
  }
}

/// The cookies of a field.
private func parts(_ field: String) -> Set<String> {
  var names = Set<String>()
  var rest = field[...]
  while let end = rest.firstIndex(of: ";") {
    names.insert(String(rest[..<end]))
    rest = rest[rest.index(after: end)...].drop { $0 == " " }
  }
  names.insert(String(rest))
  return names
}

@Suite struct CookieFileTests {
  @Test(
    arguments: [
      ("", nil), ("# Netscape HTTP Cookie File\n\n", nil), (line("a.example", "n"), nil),
      ("# x\r\n#HttpOnly_.a.example\tTRUE\t/\tFALSE\t0\tn\tv\r\n", nil),
      ("a.example\tFALSE\t/\tFALSE\t0\tn", nil), ("Set-Cookie: a=b\n", nil),
      ("no cookie here\n" + line("a.example", "n"), nil),
      ("[{\"name\": \"a\"}]\n", .notCookies), ("a.example FALSE / FALSE 0 n v\n", .notCookies),
      ("SQLite format 3\u{0}\u{10}\u{0}", .notCookies), ("<html>\n", .notCookies),
    ] as [(String, CookieFileError?)]
  )
  func onlyFilesOfCookiesAreTaken(_ text: String, _ error: CookieFileError?) {
    let file = PrivateFile("cookies.txt", text)
    #expect(problem(file.path) == error)
  }

  @Test func whatIsNoFileIsRefusedAtOnce() {
    let file = PrivateFile("cookies.txt", "")
    #expect(problem("/nowhere/cookies.txt") == .unreadable(ENOENT))
    #expect(problem(file.directory) == .notAFile)
    unlink(file.path)
    mkfifo(file.path, 0o600)
    #expect(problem(file.path) == .notAFile)
  }

  @Test(arguments: [CookieFileError.unreadable(EACCES), .notAFile, .notCookies])
  func eachReasonIsOneLine(_ error: CookieFileError) {
    #expect(!error.line.isEmpty && !error.line.contains("\n"))
  }

  private func problem(_ path: String) -> CookieFileError? {
    do throws(CookieFileError) {
      try CookieFile.check(path)
      return nil
    } catch {
      return error
    }
  }
}
