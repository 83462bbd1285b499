// SPDX-License-Identifier: Apache-2.0
//
// What arrives for each thing a server can answer: files, parts, statuses.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "answers", size: 300_000)

@Suite struct AnswerTests {
  @Test func aWholeFileArrivesWithItsHead() {
    withServer { server in
      server.on("/f", .file(content))
      let handles = HandleCache(userAgent: "winch/9")
      let fetched = fetch(server.url("/f?x=1"), with: BlockingConnection(handles: handles))
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
      #expect(asked?.header("User-Agent") == "winch/9")
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

  @Test func oneAnswerTooManyIsRefused() {
    withServer { server in
      let valve = Valve()
      server.on(
        "/f",
        .file(content) {
          $0.valve = valve
          $0.concurrency = 1
        }
      )
      let first = inBackground { [url = server.url("/f")] in fetch(url) }
      #expect(server.wait { $0.first?.status == 200 })
      #expect(fetch(server.url("/f")).head?.status == 503)
      valve.open()
      let isWhole = first.wait()?.body == content.bytes
      #expect(isWhole)
    }
  }

  @Test func theFirstAnswersFailAsTold() {
    withServer { server in
      server.on(
        "/f",
        .file(content) { $0.failures = .init(first: 2, status: 429, retryAfter: "2") }
      )
      let answers = (1...3).map { _ in fetch(server.url("/f")).head }
      #expect(answers.map { $0?.status } == [429, 429, 200])
      #expect(answers[0]?.retryAfter == .seconds(2))
    }
  }
}
