// SPDX-License-Identifier: Apache-2.0
//
// A server that goes silent is given up in each phase.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "timeouts", size: 100_000)

@Suite struct TimeoutTests {
  @Test func noAnswerInTime() {
    withServer { server in
      server.on("/f", .file(content) { $0.headValve = Valve() })
      let failure = fetch(server.url("/f")) { $0.timeouts.firstByte = .milliseconds(200) }.failure
      #expect(failure == Failure(.timedOut, code: 28, detail: "no answer within 200 ms"))
    }
  }

  @Test func aHeadThatNeverEndsIsNoAnswer() {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 200 OK\r\nX-Slow: ")
          _ = socket.waitForClient()
          socket.end()
        }
      )
      let failure = fetch(server.url("/f")) { $0.timeouts.firstByte = .milliseconds(200) }.failure
      #expect(failure?.kind == .timedOut)
    }
  }

  @Test func silenceInTheBody() {
    withServer { server in
      server.on("/f", .file(content) { $0.valve = Valve(bytes: 40_000) })
      let fetched = fetch(server.url("/f")) { $0.timeouts.silence = .seconds(1) }
      #expect(fetched.failure == Failure(.timedOut, code: 28, detail: "no data for 1 s"))
      #expect(fetched.body == content.bytes(0..<40_000))
    }
  }

  @Test(arguments: ["", "m"])
  func theBodyOfARedirectIsNotWaitedFor(begun: String) {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          let head = "HTTP/1.1 302 Found\r\nLocation: /g\r\nContent-Length: 9\r\n\r\n"
          socket.send(head + begun)
          _ = socket.waitForClient()
          socket.end()
        }
      )
      server.on("/g", .file(content))
      #expect(fetch(server.url("/f")).body == content.bytes)
    }
  }

  @Test func connectingInVain() {
    let hole = BlackHole()
    defer { hole.close() }
    let failure = fetch("http://127.0.0.1:\(hole.port)/f") {
      $0.timeouts.connect = .milliseconds(200)
    }.failure
    #expect(failure?.kind == .timedOut)
    #expect(failure?.code == 28)
  }
}
