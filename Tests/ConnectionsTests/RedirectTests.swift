// SPDX-License-Identifier: Apache-2.0
//
// Where redirects may lead and what is kept on the way.

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
}
