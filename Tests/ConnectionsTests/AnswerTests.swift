// SPDX-License-Identifier: Apache-2.0
//
// What arrives for each way a server can answer: ranges, validators, framings, breaks, codings.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "answers", size: 300_000)

@Suite struct AnswerTests {
  @Test func aWholeFileArrivesWithItsHead() {
    withServer { server in
      server.on("/f", .file(content))
      let fetched = fetch(server.url("/f?x=1"))
      #expect(fetched.body == content.bytes)
      #expect(fetched.heads.count == 1)
      #expect(fetched.head?.status == 200)
      #expect(fetched.head?.reason == "OK")
      #expect(fetched.head?.contentLength == 300_000)
      #expect(fetched.head?.framing == .length)
      #expect(fetched.head?.isEncrypted == false)
      #expect(fetched.head?.acceptsRanges == true)
      #expect(fetched.head?.validators.entityTag == Behaviour.tag(content))
      #expect(fetched.head?.validators.lastModified == Behaviour.date(content))
      #expect(fetched.report?.received == 300_000)
      #expect(fetched.report?.endedEarly == false)
      #expect(fetched.report?.remoteAddress == "127.0.0.1:\(server.port)")
      let asked = server.requests("/f").first
      #expect(asked?.method == "GET")
      #expect(asked?.range == nil)
      #expect(asked?.headers("Accept-Encoding") == ["identity"])
      #expect(asked?.header("User-Agent")?.hasPrefix("winch/") == true)
    }
  }

  @Test(arguments: [
    (RequestedRange.from(0), "bytes=0-", 0..<300_000 as Range<Int64>),
    (.from(299_999), "bytes=299999-", 299_999..<300_000),
    (.part(ByteRange(0, 1)), "bytes=0-0", 0..<1),
    (.part(ByteRange(1000, 70_000)), "bytes=1000-69999", 1000..<70_000),
  ])
  func aRangeIsAskedAndArrives(
    _ range: RequestedRange,
    _ field: String,
    _ bytes: Range<Int64>
  ) {
    withServer { server in
      server.on("/f", .file(content))
      let fetched = fetch(server.url("/f")) { $0.range = range }
      #expect(server.requests("/f").first?.range == field)
      #expect(fetched.head?.status == 206)
      let carried = bytes.lowerBound...(bytes.upperBound - 1)
      #expect(fetched.head?.contentRange == .range(carried, total: 300_000))
      #expect(fetched.body == content.bytes(bytes))
    }
  }

  @Test func wrongRangesAreShownAsSent() {
    let cases: [(Behaviour.ContentRangeFault, ContentRange?, Range<Int64>)] = [
      (.zero, .range(0...9, total: 300_000), 0..<10),
      (.shift(1), .range(101...110, total: 300_000), 101..<111),
      (.shift(-100), .range(0...9, total: 300_000), 0..<10),
      (.total(7000), .range(100...109, total: 7000), 100..<110),
      (.star, .range(100...109, total: nil), 100..<110),
      (.missing, nil, 100..<110),
      (.garbage, .malformed, 100..<110),
      (.lie, .range(100...109, total: 300_000), 0..<10),
    ]
    withServer { server in
      for (fault, told, bytes) in cases {
        server.on("/f", .file(content) { $0.contentRange = fault })
        let fetched = fetch(server.url("/f")) { $0.range = .part(ByteRange(100, 110)) }
        #expect(fetched.head?.status == 206)
        #expect(fetched.head?.contentRange == told)
        #expect(fetched.body == content.bytes(bytes))
      }
    }
  }

  @Test func ignoredAndRefusedRangesAreToldApart() {
    withServer { server in
      server.on("/ignored", .file(content) { $0.ranges = .ignored })
      server.on("/refused", .file(content) { $0.ranges = .refused })
      let ignored = fetch(server.url("/ignored")) { $0.range = .from(200_000) }
      #expect(ignored.head?.status == 200)
      #expect(ignored.head?.contentLength == 300_000)
      #expect(ignored.body == content.bytes)
      let refused = fetch(server.url("/refused")) { $0.range = .from(200_000) }
      #expect(refused.head?.status == 416)
      #expect(refused.head?.contentRange == .unsatisfied(total: 300_000))
    }
  }

  @Test func ifRangeIsSentAndObeyed() {
    withServer { server in
      server.on("/f", .file(content))
      let other = content.version(2)
      for (value, status) in [
        (Behaviour.tag(content), 206), (Behaviour.date(content), 206), (Behaviour.tag(other), 200),
      ] {
        let fetched = fetch(server.url("/f")) {
          $0.range = .from(10)
          $0.ifRange = value
        }
        #expect(server.requests.last?.header("If-Range") == value)
        #expect(fetched.head?.status == status)
      }
      server.on("/f", .file(content) { $0.ifRange = .tagRefused })
      let refused = fetch(server.url("/f")) {
        $0.range = .from(10)
        $0.ifRange = Behaviour.tag(content)
      }
      #expect(refused.head?.status == 200)
    }
  }

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

  @Test(arguments: [304, 300, 404, 429, 500, 503])
  func otherStatusesAreDeliveredAsHeads(_ status: Int) {
    withServer { server in
      server.on("/f", .status(status, retryAfter: "7"))
      let fetched = fetch(server.url("/f"), onHead: { _ in .reject })
      #expect(fetched.heads.map(\.status) == [status])
      #expect(fetched.head?.retryAfter == .seconds(7))
      #expect(fetched.error == .rejected)
    }
  }

  @Test func aProxysDemandForALoginIsTheProxysRefusal() {
    withServer { server in
      server.on("/f", .status(407))
      let fetched = fetch(server.url("/f"))
      #expect(fetched.failure?.kind == .proxyRefused)
      #expect(fetched.failure?.code == 407)
      #expect(fetched.heads.isEmpty)
    }
  }

  @Test func aRedirectWithoutLocationIsDeliveredAsHead() {
    withServer { server in
      server.on("/f", .status(302, body: "where?"))
      let fetched = fetch(server.url("/f"))
      #expect(fetched.head?.status == 302)
      #expect(fetched.body == Array("where?".utf8))
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
