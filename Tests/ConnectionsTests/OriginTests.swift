// SPDX-License-Identifier: Apache-2.0
//
// Which secrets go along on a redirect, and what a Location cannot smuggle in.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "origins", size: 5000)

@Suite struct OriginTests {
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

  private var secrets: [HeaderField] {
    [("X-Api-Key", "T0P"), ("Cookie", "session=T0P")]
      .compactMap { HeaderField(name: $0.0, value: $0.1) }
  }
}
