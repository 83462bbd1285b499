// SPDX-License-Identifier: Apache-2.0
//
// How heads and bodies are framed on the wire, how they break, and what is no HTTP at all.

import Connections
import FaultServer
import Testing
import Transfers
import Workers

private let content = Content(key: "framing", size: 300_000)

@Suite struct FramingTests {
  @Test func eachFramingIsRecognisedAndItsCutIsNoSuccess() {
    struct Case {
      let framing: Behaviour.BodyFraming
      let seen: Framing
      let length: Int64?
      var fails: FailureKind?
    }
    let cases = [
      Case(framing: .chunked(777), seen: .chunked, length: nil),
      Case(framing: .chunkedCut, seen: .chunked, length: nil, fails: .cutShort),
      Case(framing: .both(off: -1507), seen: .chunked, length: nil),
      Case(framing: .untilClose, seen: .untilClose, length: nil),
      Case(framing: .http10, seen: .untilClose, length: nil),
      Case(framing: .promisesMore(1000), seen: .length, length: 301_000, fails: .cutShort),
      Case(framing: .extra(99), seen: .length, length: 300_000),
    ]
    withServer { server in
      for row in cases {
        server.on("/f", .file(content) { $0.framing = row.framing })
        let fetched = fetch(server.url("/f"))
        #expect(fetched.failure?.kind == row.fails, "\(row.framing)")
        #expect(fetched.body == content.bytes, "\(row.framing)")
        #expect(fetched.head?.framing == row.seen, "\(row.framing)")
        #expect(fetched.head?.contentLength == row.length, "\(row.framing)")
      }
    }
  }

  @Test func aBrokenConnectionFailsWithWhatCameBefore() {
    withServer { server in
      for (how, kind) in [
        (Behaviour.Break.end, FailureKind.cutShort), (.reset, .connectionLost),
      ] {
        // The valve holds the rest until the client has what was sent: a reset drops what waits.
        let valve = Valve(bytes: 100_000)
        server.on(
          "/f",
          .file(content) {
            $0.cut = .init(after: 150_000, how)
            $0.valve = valve
          }
        )
        var received = 0
        let fetched = fetch(
          server.url("/f"),
          onChunk: { chunk in
            received += chunk.count
            if received == 100_000 { valve.open() }
            return .more
          }
        )
        #expect(fetched.failure?.kind == kind)
        #expect(fetched.body.count >= 100_000)
        #expect(fetched.body == content.bytes(0..<Int64(fetched.body.count)))
      }
    }
  }

  @Test func aCutOfTheFirstAnswerOnlyIsGoneTheSecondTime() {
    withServer { server in
      server.on("/f", .file(content) { $0.cut = .init(after: 10, .end, answers: 1) })
      let first = fetch(server.url("/f"))
      #expect(first.failure == Failure(.cutShort, code: 18, detail: first.failure?.detail ?? ""))
      #expect(first.body == content.bytes(0..<10))
      #expect(fetch(server.url("/f")).body == content.bytes)
    }
  }

  @Test func anEmptyFileHasAHeadAndNoChunk() {
    withServer { server in
      server.on("/f", .file(Content(size: 0)))
      let fetched = fetch(server.url("/f"))
      #expect(fetched.heads.count == 1)
      #expect(fetched.head?.contentLength == 0)
      #expect(fetched.report?.received == 0)
    }
  }

  /// A file in chunks, then what stands between the last chunk and the end.
  private func chunks(then more: @escaping @Sendable (ClientSocket) -> Void) -> Behaviour {
    .raw { _, socket in
      socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n")
      more(socket)
    }
  }

  @Test func fieldsBehindTheBodyThatNeverEndAreNoAnswer() {
    withServer { server in
      server.on(
        "/f",
        chunks { while $0.send("X-More: \(String(repeating: "y", count: 1000))\r\n") {} }
      )
      let fetched = fetch(server.url("/f"))
      #expect(fetched.failure == Failure(.badAnswer, detail: "endless trailers"))
      #expect(fetched.body == Array("hello".utf8))
    }
  }

  @Test func fieldsBehindTheBodyAreNoSignOfLife() {
    withServer { server in
      let isOver = Monitor(false)
      server.on(
        "/f",
        chunks { socket in
          func pause() { _ = isOver.wait(for: .milliseconds(20), until: { $0 ? true : nil }) }
          while socket.send("X: y\r\n") { pause() }
        }
      )
      let failure = fetch(server.url("/f")) { $0.timeouts.silence = .milliseconds(300) }.failure
      isOver.withLock { $0 = true }
      #expect(failure?.kind == .timedOut)
    }
  }

  @Test func aChangeOfProtocolIsAnAnswer() {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nhello")
          _ = socket.waitForClient()
        }
      )
      let fetched = fetch(server.url("/f"), onHead: { _ in .reject })
      #expect(fetched.head?.status == 101)
    }
  }

  @Test func aLineOfTheHeadThatNeverEndsIsNoAnswer() {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 200 OK\r\nX: ")
          while socket.send(String(repeating: "y", count: 10_000)) {}
        }
      )
      let failure = fetch(server.url("/f")).failure
      #expect(failure == Failure(.badAnswer, code: 27, detail: "a line of the head is too long"))
    }
  }

  @Test func bytesBehindWhatIsCompressedAreAFault() {
    withServer { server in
      let coded = gzip(content.bytes) + Array("more".utf8)
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n")
          socket.send("Content-Length: \(coded.count)\r\n\r\n")
          socket.send(coded)
        }
      )
      #expect(fetch(server.url("/f")).failure?.kind == .unwantedCoding)
    }
  }

  @Test func aForcedCodingIsUndoneAndTheLengthUnknown() {
    withServer { server in
      server.on("/f", .file(content) { $0.isCompressed = true })
      let fetched = fetch(server.url("/f"))
      #expect(fetched.body == content.bytes)
      #expect(fetched.head?.contentCoding == "gzip")
      #expect(fetched.head?.contentLength == nil)
      #expect(fetched.head?.framing == .length)
    }
  }

  @Test func anUnknownCodingIsAFailure() {
    withServer { server in
      server.on("/f", .file(content) { $0.add("Content-Encoding: rot13") })
      #expect(fetch(server.url("/f")).failure?.kind == .unwantedCoding)
    }
  }

  @Test func aHeadIsReadToleratingFoldsRepeatsAndRawBytes() {
    withServer { server in
      server.on(
        "/f",
        .file(content) {
          $0.addDisposition([0x61, 0xE9, 0xFF, 0x3B])
          $0.add("X-Folded: one")
          $0.add("   two")
          $0.add("X-Folded: three")
        }
      )
      let head = fetch(server.url("/f")).head
      #expect(head?.contentDisposition == [0x61, 0xE9, 0xFF, 0x3B])
      #expect(head?.text("x-folded") == "one two")
      #expect(head?.fields.filter { $0.name == "x-folded" }.count == 2)
    }
  }

  @Test func provisionalHeadsAndTrailersAreLeftOut() {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
          socket.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-Late\r\n\r\n")
          socket.send("3\r\nabc\r\n0\r\nX-Late: 1\r\n\r\n")
        }
      )
      let fetched = fetch(server.url("/f"))
      #expect(fetched.heads.map(\.status) == [200])
      #expect(fetched.head?.first("x-early") == nil)
      #expect(fetched.head?.first("x-late") == nil)
      #expect(fetched.body == Array("abc".utf8))
      #expect(fetched.report != nil)
    }
  }

  @Test(arguments: [
    ("hello, this is no HTTP\r\n", FailureKind.badAnswer),
    ("SSH-2.0-OpenSSH_9.2\r\n", .badAnswer),
    ("HTTP/1.1 abc\r\n\r\n", .badAnswer),
    ("", .connectionLost),
    ("HTTP/1.1 200 OK\r\nContent-Le", .connectionLost),
  ])
  func whatIsNotAnAnswerFails(_ text: String, _ kind: FailureKind) {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send(text)
          socket.end()
        }
      )
      #expect(fetch(server.url("/f")).failure?.kind == kind)
    }
  }

  @Test func anEndlessHeadIsCutOff() {
    withServer { server in
      server.on(
        "/f",
        .raw { _, socket in
          socket.send("HTTP/1.1 200 OK\r\n")
          while socket.send("X-Filler: \(String(repeating: "x", count: 8000))\r\n") {}
        }
      )
      #expect(fetch(server.url("/f")).error != nil)
    }
  }
}
