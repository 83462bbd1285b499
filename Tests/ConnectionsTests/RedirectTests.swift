// SPDX-License-Identifier: Apache-2.0
//
// Where redirects may lead, what is kept on the way, and which secrets go along.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "redirects", size: 5000)

@Suite struct RedirectTests {
  @Test(arguments: [301, 302, 303, 307, 308])
  func aRedirectIsFollowedWithItsRange(_ code: Int) {
    withServer { server in
      server.on("/a", .redirect(to: "b", code: code))
      server.on("/b", .file(content))
      let fetched = fetch(server.url("/a")) {
        $0.range = .from(100)
        $0.ifRange = Behaviour.tag(content)
      }
      #expect(fetched.heads.count == 1)
      #expect(fetched.head?.status == 206)
      #expect(fetched.head?.link.text == server.url("/b"))
      #expect(fetched.head?.redirects.map(\.text) == [server.url("/a")])
      #expect(fetched.body == content.bytes(100..<5000))
      #expect(fetched.report?.received == 4900)
      #expect(Set(server.requests.map(\.connection)) == [1])
    }
  }

  @Test func theNameOnARedirectIsKept() {
    withServer { server in
      var named = Behaviour.redirect(to: "/b")
      named.add("Content-Disposition: attachment; filename=real.bin")
      server.on("/a", named)
      server.on("/b", .redirect(to: "/c"))
      server.on("/c", .file(content))
      let disposition = fetch(server.url("/a")).head?.redirectDisposition
      #expect(disposition == Array("attachment; filename=real.bin".utf8))
    }
  }

  @Test func aCircleEndsAndNamesItsLinks() {
    withServer { server in
      server.on("/a", .redirect(to: "/b"))
      server.on("/b", .redirect(to: "/a"))
      let failure = fetch(server.url("/a")).failure
      #expect(failure?.kind == .redirectLoop)
      #expect(failure?.detail.contains("\(server.url("/a")) -> \(server.url("/b"))") == true)
      #expect(server.requests.count == 2)
    }
  }

  @Test func anEndlessChainEndsAfterTwentyHops() {
    withServer { server in
      server.on("/n") { .redirect(to: "/n?\($0.turn)") }
      #expect(fetch(server.url("/n")).failure?.kind == .redirectLoop)
      #expect(server.requests.count == 21)
    }
  }

  @Test func twentyHopsAreFollowed() {
    withServer { server in
      server.on("/n") { $0.turn <= 20 ? .redirect(to: "/n?\($0.turn)") : .file(content) }
      #expect(fetch(server.url("/n")).body == content.bytes)
    }
  }

  @Test func aCookieOpensTheGateAndIsForgottenAfterwards() {
    withServer { server in
      server.on("/gate") { request in
        request.header("Cookie") == "pass=1"
          ? .file(content) : .redirect(to: "/gate", cookie: "pass=1")
      }
      let handles = HandleCache()
      for turn in 1...2 {
        let fetched = fetch(server.url("/gate"), with: BlockingConnection(handles: handles))
        #expect(fetched.body == content.bytes)
        #expect(server.requests.count == turn * 2)
      }
    }
  }

  @Test func aCookieGateThatNeverOpensEnds() {
    withServer { server in
      server.on("/gate") { .redirect(to: "/gate", cookie: "pass=\($0.turn)") }
      #expect(fetch(server.url("/gate")).failure?.kind == .redirectLoop)
      #expect(server.requests.count == 21)
    }
  }

  @Test(arguments: [
    "file:///etc/hostname", "ftp://127.0.0.1/x", "gopher://h/", "http://", "javascript://x",
  ])
  func otherSchemesAndNonsenseAreRefused(_ location: String) {
    withServer { server in
      server.on("/a", .redirect(to: location))
      let fetched = fetch(server.url("/a"))
      #expect(fetched.failure?.kind == .redirectRefused)
      #expect(fetched.heads.isEmpty)
      #expect(server.requests.count == 1)
    }
  }

  @Test func secretsStayWithTheirOrigin() {
    withServer { server in
      server.on("/a", .redirect(to: server.otherURL("/b")))
      server.on("/b", .redirect(to: "http://eve:evil@127.0.0.1:\(server.port)/c"))
      server.on("/c", .file(content))
      let url = "http://bob:s3cr3t@127.0.0.1:\(server.port)/a"
      let fetched = fetch(url) { $0.headers = secrets }
      #expect(fetched.body == content.bytes)
      #expect(fetched.head?.link.login == nil)
      let home = server.requests("/a").first
      #expect(home?.header("Authorization") == "Basic Ym9iOnMzY3IzdA==")
      #expect(home?.header("X-Api-Key") == "T0P")
      let foreign = server.requests("/b").first
      #expect(foreign?.header("Authorization") == nil)
      #expect(foreign?.header("X-Api-Key") == nil)
      #expect(foreign?.header("Cookie") == nil)
      let back = server.requests("/c").first
      #expect(back?.header("Authorization") == home?.header("Authorization"))
      #expect(back?.header("X-Api-Key") == "T0P")
    }
  }

  @Test func aLoginInALocationIsNeverUsed() {
    withServer { server in
      server.on("/a", .redirect(to: "http://eve:evil@localhost:\(server.port)/b"))
      server.on("/b", .redirect(to: "http://eve:evil@127.0.0.1:\(server.port)/c"))
      server.on("/c", .file(content))
      #expect(fetch(server.url("/a")).body == content.bytes)
      #expect(server.requests.map { $0.header("Authorization") } == [nil, nil, nil])
    }
  }

  @Test func anotherPortIsAnotherOrigin() {
    withServer { server in
      withServer { other in
        server.on("/a", .redirect(to: other.url("/b")))
        other.on("/b", .file(content))
        let url = "http://bob:s3cr3t@127.0.0.1:\(server.port)/a"
        #expect(fetch(url) { $0.headers = secrets }.body == content.bytes)
        #expect(other.requests.map { secretFields($0.lines) } == [[]])
        #expect(server.requests.map { secretFields($0.lines).count } == [3])
      }
    }
  }

  @Test func anotherSchemeIsAnotherOrigin() {
    let secure = TLSServer("good", answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
    defer { secure.stop() }
    withServer { server in
      server.on("/a", .redirect(to: "https://127.0.0.1:\(secure.port)/b"))
      let url = "http://bob:s3cr3t@127.0.0.1:\(server.port)/a"
      let fetched = fetch(url) {
        $0.headers = secrets
        $0.trust = .file(TLSServer.path("authority"))
      }
      #expect(fetched.body == Array("hi".utf8))
      let lines = secure.heads.flatMap { $0.split(separator: "\r\n").map(String.init) }
      #expect(lines.contains { $0.hasPrefix("GET /b ") })
      #expect(secretFields(lines) == [])
    }
  }

  private func secretFields(_ lines: [String]) -> [String] {
    let names = ["authorization", "x-api-key", "cookie"]
    return lines.filter { line in names.contains { line.lowercased().hasPrefix($0 + ":") } }
  }

  @Test func aMirrorGetsItsOwnLogin() throws {
    let home = try Link(parsing: "http://elsewhere.example/")
    withServer { server in
      server.on("/a", .redirect(to: server.otherURL("/b")))
      server.on("/b", .file(content))
      _ = fetch("http://bob:s3cr3t@127.0.0.1:\(server.port)/a") {
        $0.headers = secrets
        $0.headerOrigin = home.origin
      }
      let sent = server.requests.map { $0.header("Authorization") }
      #expect(sent == ["Basic Ym9iOnMzY3IzdA==", nil])
      #expect(server.requests.allSatisfy { $0.header("X-Api-Key") == nil })
    }
  }

  @Test func aRefusedRedirectTellsNoSignature() {
    withServer { server in
      server.on("/a", .redirect(to: "/a?sig=s3cr3t"))
      let failure = fetch("http://bob:s3cr3t@127.0.0.1:\(server.port)/a").failure
      #expect(failure?.kind == .redirectLoop)
      #expect(failure?.detail.contains("/a?…") == true)
      #expect(failure?.detail.contains("s3cr3t") == false)
    }
  }

  @Test func encodedControlBytesStayEncoded() {
    withServer { server in
      let path = "/%0d%0aX-Injected:%20yes"
      server.on(path, .redirect(to: "\(path)2"))
      server.on("\(path)2", .file(content))
      #expect(fetch(server.url(path)).body == content.bytes)
      #expect(server.requests.map(\.target) == [path, "\(path)2"])
      #expect(server.requests.allSatisfy { $0.header("X-Injected") == nil })
    }
  }

  @Test func aForeignLinkGetsNoSecrets() throws {
    let home = try Link(parsing: "http://elsewhere.example/")
    withServer { server in
      server.on("/a", .file(content))
      _ = fetch(server.url("/a")) {
        $0.headers = secrets
        $0.headerOrigin = home.origin
      }
      #expect(server.requests.first?.header("X-Api-Key") == nil)
      #expect(server.requests.first?.header("Cookie") == nil)
    }
  }

  @Test func ourOwnFieldsCannotBeReplaced() {
    withServer { server in
      server.on("/a", .file(content))
      _ = fetch(server.url("/a")) {
        $0.range = .from(5)
        $0.headers = [
          ("Range", "bytes=0-1"), ("ACCEPT-ENCODING", "gzip"), ("X-Empty", ""), ("Accept", "a/b"),
        ].compactMap { HeaderField(name: $0.0, value: $0.1) }
      }
      let asked = server.requests.first
      #expect(asked?.headers("Range") == ["bytes=5-"])
      #expect(asked?.headers("Accept-Encoding") == ["identity"])
      #expect(asked?.headers("X-Empty") == [""])
      #expect(asked?.headers("Accept") == ["a/b"])
    }
  }

  @Test func aLongBodyOfARedirectIsNotRead() {
    withServer { server in
      server.on(
        "/a",
        .raw { _, socket in
          socket.send("HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 900000000\r\n\r\n")
          while socket.send([UInt8](repeating: 0x20, count: 65536)) {}
          socket.end()
        }
      )
      server.on("/b", .file(content))
      #expect(fetch(server.url("/a")).body == content.bytes)
    }
  }

  private var secrets: [HeaderField] {
    [("X-Api-Key", "T0P"), ("Cookie", "session=T0P")]
      .compactMap { HeaderField(name: $0.0, value: $0.1) }
  }
}
