// SPDX-License-Identifier: Apache-2.0
//
// What the caller's verdicts do: reject, pause, enough, stop.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "verdicts", size: 400_000)

@Suite struct VerdictTests {
  @Test func aRejectedAnswerIsNotRead() {
    withServer { server in
      server.on("/f", .file(content) { $0.valve = Valve() })
      let fetched = fetch(server.url("/f"), onHead: { _ in .reject })
      #expect(fetched.error == .rejected)
      #expect(fetched.heads.count == 1)
      #expect(fetched.body.isEmpty)
    }
  }

  @Test func enoughEndsAsASuccess() {
    withServer { server in
      server.on("/f", .file(content) { $0.valve = Valve(bytes: 50_000) })
      var count = 0
      let fetched = fetch(
        server.url("/f"),
        onChunk: { chunk in
          count += chunk.count
          return count == 50_000 ? .enough : .more
        }
      )
      #expect(fetched.report?.endedEarly == true)
      #expect(fetched.report?.received == 50_000)
      #expect(fetched.body == content.bytes(0..<50_000))
    }
  }

  @Test func stopEndsAsTheCallersError() {
    withServer { server in
      server.on("/f", .file(content))
      #expect(fetch(server.url("/f"), onChunk: { _ in .stop }).error == .stopped)
    }
  }

  @Test func nothingIsReadDuringAPause() {
    withServer { server in
      server.on("/f", .file(content))
      var arrivals: [ContinuousClock.Instant] = []
      let fetched = fetch(
        server.url("/f"),
        onChunk: { _ in
          arrivals.append(.now)
          return arrivals.count == 1 ? .taken(.max, pause: .milliseconds(300)) : .more
        }
      )
      #expect(fetched.body == content.bytes)
      #expect(arrivals.count > 2)
      #expect(arrivals[1] - arrivals[0] >= .milliseconds(300))
    }
  }

  @Test func aCallerIsToldOnceOfEachSilence() {
    withServer { server in
      let valve = Valve(bytes: 1000)
      server.on("/f", .file(content) { $0.valve = valve })
      var silences: [Int] = []
      var count = 0
      let fetched = fetch(
        server.url("/f"),
        onChunk: { chunk in
          count += chunk.count
          guard chunk.isEmpty else { return .more }
          silences.append(count)
          silences.count == 1 ? valve.allow(1000) : valve.open()
          return .more
        }
      )
      #expect(fetched.body == content.bytes)
      #expect(silences.starts(with: [1000, 2000]))
    }
  }

  @Test func theVerdictOnASilenceHolds() {
    withServer { server in
      server.on("/f", .file(content) { $0.valve = Valve(bytes: 1000) })
      let fetched = fetch(server.url("/f"), onChunk: { $0.isEmpty ? .stop : .more })
      #expect(fetched.error == .stopped)
      #expect(fetched.body == content.bytes(0..<1000))
    }
  }

  @Test func aPauseIsNoSilence() {
    withServer { server in
      server.on("/f", .file(content))
      var isFirst = true
      let fetched = fetch(
        server.url("/f"),
        { $0.timeouts.silence = .milliseconds(500) },
        onChunk: { _ in
          defer { isFirst = false }
          return isFirst ? .taken(.max, pause: .milliseconds(800)) : .more
        }
      )
      #expect(fetched.body == content.bytes)
    }
  }

  @Test func manyPausesLoseNothing() {
    withServer { server in
      server.on("/length", .file(content))
      server.on("/chunked", .file(content) { $0.framing = .chunked(9999) })
      server.on("/gzip", .file(content) { $0.isCompressed = true })
      for path in ["/length", "/chunked", "/gzip"] {
        let fetched = fetch(
          server.url(path),
          { $0.receiveBuffer = ByteCount(16 * 1024) },
          onChunk: { _ in .taken(.max, pause: .milliseconds(1)) }
        )
        #expect(fetched.body == content.bytes)
        #expect(fetched.report?.endedEarly == false)
      }
    }
  }

  @Test func whatWasNotTakenIsOfferedAgain() {
    withServer { server in
      let size: Int64 = 300_000
      let small = Content(size: size)
      server.on("/length", .file(small))
      server.on("/chunked", .file(small) { $0.framing = .chunked(9999) })
      server.on("/gzip", .file(small) { $0.isCompressed = true })
      for (path, most) in [("/length", 512), ("/length", 16), ("/chunked", 16), ("/gzip", 64)] {
        var turn = 0
        let fetched = fetch(
          server.url(path),
          { $0.receiveBuffer = ByteCount(Int64(most) * 1024) },
          onChunk: { chunk in
            turn += 1
            return .taken(turn % 3 == 0 ? 0 : 1 + turn * 977 % 7001, pause: .microseconds(1))
          }
        )
        #expect(fetched.body == small.bytes)
        #expect(fetched.report?.received == ByteCount(size))
      }
    }
  }

  @Test func nothingTakenIsNoSilence() {
    withServer { server in
      let small = Content(size: 1000)
      server.on("/f", .file(small))
      var offers = 0
      let fetched = fetch(
        server.url("/f"),
        { $0.timeouts.silence = .milliseconds(100) },
        onChunk: { _ in
          offers += 1
          return offers < 5 ? .taken(0, pause: .milliseconds(60)) : .more
        }
      )
      #expect(offers == 5)
      #expect(fetched.body == small.bytes)
    }
  }

  @Test func verdictsHoldForBytesThatWaitedDuringAPause() {
    withServer { server in
      server.on("/f", .file(content))
      for (verdict, error) in [
        (ChunkVerdict.enough, nil), (.stop, ConnectionError.stopped),
      ] {
        var chunks = 0
        let fetched = fetch(
          server.url("/f"),
          onChunk: { _ in
            chunks += 1
            return chunks == 1 ? .taken(.max, pause: .milliseconds(20)) : verdict
          }
        )
        #expect(chunks == 2)
        #expect(fetched.error == error)
        #expect(fetched.report?.endedEarly == (error == nil ? true : nil))
      }
    }
  }

  @Test func aPauseAfterTheLastByteDelaysNothing() {
    withServer { server in
      server.on("/f", .file(Content(size: 100)))
      let fetched = fetch(server.url("/f"), onChunk: { _ in .taken(.max, pause: .seconds(600)) })
      #expect(fetched.report?.received == 100)
    }
  }
}
