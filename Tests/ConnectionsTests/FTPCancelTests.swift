// SPDX-License-Identifier: Apache-2.0
//
// An exchange with an FTP server ends at once when it is cancelled, also where libcurl waits inside
// a call, and so does the closing of kept connections.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "ftp-cancel", size: 400_000)

private func patient(_ request: inout ConnectionRequest) {
  let long = Duration.seconds(600)
  request.timeouts = Timeouts(connect: long, firstByte: long, silence: long)
}

@Suite struct FTPCancelTests {
  private let connection = BlockingConnection(handles: HandleCache())

  private func start(_ url: String) -> Later<Fetched> {
    let connection = connection
    return inBackground { fetch(url, with: connection, patient) }
  }

  @Test func whileTheServerSaysNothing() {
    withFTP(FTPBehaviour(content) { $0.greeting = "220-wait" }) { server in
      let arrived = start(server.url("/f"))
      while server.connectionCount == 0 {}
      connection.cancel()
      #expect(arrived.wait()?.error == .cancelled)
    }
  }

  @Test func duringTheBody() {
    withFTP(FTPBehaviour(content) { $0.valve = Valve(bytes: 100_000) }) { server in
      let run = start(server.url("/f"))
      #expect(server.waitUntilSent(100_000))
      connection.cancel()
      #expect(run.wait()?.error == .cancelled)
    }
  }

  @Test func whileTheLastWordIsMissing() {
    withFTP(FTPBehaviour(content) { $0.end = nil }) { server in
      let isWhole = Later<Bool>()
      let connection = connection
      let run = inBackground {
        var count = 0
        return fetch(
          server.url("/f"),
          with: connection,
          patient,
          onChunk: { chunk in
            count += chunk.count
            if count == content.size { isWhole.give(true) }
            return .more
          }
        )
      }
      #expect(isWhole.wait() == true)
      connection.cancel()
      #expect(run.wait()?.error == .cancelled)
    }
  }

  @Test func keptConnectionsAreClosedWithoutAGoodbye() {
    withFTP(FTPBehaviour(content)) { server in
      let handles = HandleCache()
      #expect(fetch(server.url("/f"), with: BlockingConnection(handles: handles)).error == nil)
      handles.close()
      #expect(server.arguments("QUIT").isEmpty)
    }
  }

  @Test func aFullCacheDropsThemWithoutAGoodbye() {
    withFTP(FTPBehaviour(content)) { server in
      withServer { http in
        http.on("/f", .file(content))
        let handles = HandleCache(limit: 1)
        for url in [server.url("/f"), http.url("/f"), server.url("/f")] {
          #expect(fetch(url, with: BlockingConnection(handles: handles)).body == content.bytes)
        }
        #expect(server.arguments("QUIT").isEmpty)
      }
    }
  }

  @Test func silenceInTheMiddleEndsByItself() {
    withFTP(FTPBehaviour(content) { $0.valve = Valve(bytes: 1000) }) { server in
      let failure = fetch(server.url("/f")) { $0.timeouts.silence = .milliseconds(50) }.failure
      #expect(failure?.kind == .timedOut)
    }
  }
}
