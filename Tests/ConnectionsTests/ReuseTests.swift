// SPDX-License-Identifier: Apache-2.0
//
// TCP connections are kept and found again, and a body of any size passes in constant memory.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "reuse", size: 4096)

@Suite struct ReuseTests {
  @Test func oneTCPConnectionServesManyRuns() {
    withServer { server in
      server.on("/f", .file(content))
      let handles = HandleCache()
      for round in 0..<20 {
        let fetched = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
        #expect(fetched.body == content.bytes)
        #expect(fetched.report?.reused == (round > 0))
      }
      #expect(server.connectionCount == 1)
    }
  }

  @Test func theHandleThatKnowsTheOriginIsFound() {
    withServer { one in
      withServer { other in
        let handles = HandleCache(limit: 2)
        for server in [one, other, one, other] {
          server.on("/f", .file(content))
          _ = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
        }
        #expect(one.connectionCount == 1)
        #expect(other.connectionCount == 1)
      }
    }
  }

  @Test func aKeptConnectionThatTheServerClosedIsReplaced() {
    withServer { server in
      server.on(
        "/f",
        .raw { request, socket in
          // The second request on a connection finds it closed.
          if request.turn == 2 { return socket.end() }
          socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        }
      )
      let handles = HandleCache()
      for _ in 1...2 {
        let fetched = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
        #expect(fetched.body == Array("ok".utf8))
        #expect(fetched.heads.count == 1)
      }
      #expect(server.requests.count == 3)
    }
  }

  @Test func closingTheCacheClosesWhatIsIdle() {
    withServer { server in
      let closed = Later<Bool>()
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
          closed.give(socket.waitForClient())
        }
      )
      let handles = HandleCache()
      #expect(fetch(server.url("/f"), with: BlockingConnection(handles: handles)).report != nil)
      handles.close()
      #expect(closed.wait() == true)
    }
  }

  @Test func nothingOfARunIsLeftForTheNext() {
    withServer { server in
      server.on("/f", .file(content))
      let handles = HandleCache()
      let first = fetch(
        "http://bob:pw@127.0.0.1:\(server.port)/f",
        with: BlockingConnection(handles: handles)
      ) {
        $0.range = .from(5)
        $0.ifRange = Behaviour.tag(content)
        $0.headers = [HeaderField(name: "X-A", value: "1")].compactMap { $0 }
      }
      #expect(first.head?.status == 206)
      let second = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
      #expect(second.report?.reused == true)
      #expect(second.head?.status == 200)
      for name in ["Range", "If-Range", "X-A", "Authorization"] {
        #expect(server.requests.last?.header(name) == nil)
      }
    }
  }

  @Test func aLargeBodyPassesInConstantMemory() throws {
    let piece = [UInt8](repeating: 0x61, count: 1 << 20)
    try withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 200 OK\r\nContent-Length: \(256 << 20)\r\n\r\n")
          for _ in 0..<256 { socket.send(piece) }
        }
      )
      let before = residentMebibytes()
      let report = try BlockingConnection(handles: HandleCache()).run(
        request(server.url("/f")),
        onHead: { _ in .accept },
        onChunk: { _ in .more }
      )
      #expect(report.received == ByteCount(256 << 20))
      #expect(residentMebibytes() - before < 64)
    }
  }

  private func residentMebibytes() -> Int {
    let pages = readFile("/proc/self/statm").split(separator: " ")
    return pages.count > 1 ? (Int(pages[1]) ?? 0) / 256 : 0
  }
}
