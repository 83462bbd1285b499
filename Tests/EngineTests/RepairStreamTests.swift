// SPDX-License-Identifier: Apache-2.0
//
// A digest that differs where the server has no ranges: the whole file comes once more, and is held
// against the disk; one without a length is fetched anew.

import Connections
import FaultServer
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "stream", size: 2 * Block.length)
private let digest = checksum(.sha256, of: content.bytes)
private let wrong = 700_000..<700_100 as Range<Int64>

/// A server without ranges.
private func served(hasLength: Bool = true, _ content: Content = content) -> Served {
  var served = Served(content)
  (served.hasRanges, served.hasLength) = (false, hasLength)
  return served
}

/// The whole file with other bytes in the middle.
private func damaged(_ asked: Asked, _ version: Int, hasLength: Bool = true) -> [Act] {
  [
    served(hasLength: hasLength).head(asked), .bytes(content, 0..<wrong.lowerBound),
    .bytes(content.version(version), wrong), .bytes(content, wrong.upperBound..<content.size),
  ]
}

@Suite struct RepairStreamTests {
  private func fetch(_ bench: Bench, _ hosts: String...) -> TransferID {
    bench.fetch("/file") { request in
      if !hosts.isEmpty { request.mirrors = hosts.map { link("http://\($0)/file") } }
      request.checksum = digest
    }
  }

  private func expectChecked(_ bench: Bench, _ id: TransferID) {
    #expect(bench.pump(id))
    guard case .finished(let completion)? = bench.state(id) else {
      Issue.record("\(bench.state(id).map { "\($0)" } ?? "gone")")
      return
    }
    #expect(completion.verification == .checked(.sha256))
    #expect(bench.holds("file", content))
    #expect(bench.scratch.names == ["file"])
  }

  private func expectBad(_ bench: Bench, _ id: TransferID, after requests: Int) {
    #expect(bench.pump(id))
    let failure = bench.waitFailed(id)
    #expect(failure?.kind == .checksumDiffers)
    let detail = failure?.detail ?? ""
    #expect(detail.contains("expected \(digest.hex), found ") && detail.contains("file.bad"))
    #expect(bench.web.asked.count == requests)
    #expect(bench.scratch.names == ["file.bad"])
  }

  private func has(_ bench: Bench, _ id: TransferID, _ words: String) -> Bool {
    bench.engine.log(of: id).contains { $0.text.contains(words) }
  }

  @Test func theWholeComesOnceMoreAndOnlyWhatDiffersIsWritten() throws {
    let bench = try Bench()
    bench.web.answer { $0.turn == 1 ? damaged($0, 2) : served().whole($0) }
    let id = fetch(bench)
    expectChecked(bench, id)
    #expect(bench.web.asked.count == 2)
    #expect(has(bench, id, "compared with one.test: 100 bytes in 1 blocks replaced"))
  }

  @Test func whereThatBreaksWhatWasComparedIsPassedOver() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      switch asked.turn {
      case 1: damaged(asked, 2)
      case 2: served().cut(asked, after: 200_000)
      // Passed over, so that these are never seen.
      case 3:
        [
          served().head(asked), .bytes(content.version(3), 0..<200_000),
          .bytes(content, 200_000..<content.size),
        ]
      default: []
      }
    }
    expectChecked(bench, fetch(bench))
  }

  @Test(arguments: [true, false])
  func afterTwoMoreItIsKeptAsBad(hasLength: Bool) throws {
    let bench = try Bench()
    bench.web.answer { damaged($0, $0.turn + 1, hasLength: hasLength) }
    expectBad(bench, fetch(bench), after: 3)
  }

  @Test(arguments: [true, false])
  func theSameBytesAgainAreTheLast(hasLength: Bool) throws {
    let bench = try Bench()
    bench.web.answer { damaged($0, 2, hasLength: hasLength) }
    expectBad(bench, fetch(bench), after: 2)
  }

  @Test(arguments: [true, false])
  func anotherLinkIsAskedFirst(hasLength: Bool) throws {
    let bench = try Bench()
    let bad = Monitor<String?>(nil)
    bench.web.answer { asked in
      let host = asked.request.link.origin.host
      let isBad = bad.withLock { bad -> Bool in
        // The mirrors are asked for a byte first.
        if bad == nil, asked.request.range == .part(ByteRange(0, 1)) { return false }
        bad = bad ?? host
        return bad == host
      }
      return isBad
        ? damaged(asked, 2, hasLength: hasLength) : served(hasLength: hasLength).whole(asked)
    }
    let id = fetch(bench, "one.test", "two.test")
    expectChecked(bench, id)
    #expect(bench.web.asked.last?.request.link.origin.host != bad.withLock { $0 })
  }

  @Test func withoutALengthItIsFetchedAnew() throws {
    let bench = try Bench()
    bench.web.answer {
      $0.turn == 1 ? damaged($0, 2, hasLength: false) : served(hasLength: false).whole($0)
    }
    let id = fetch(bench)
    expectChecked(bench, id)
    #expect(bench.web.asked.count == 2)
    #expect(has(bench, id, "without a length it is fetched whole again"))
  }

  @Test func anEndThatCameTooEarlyUnseenIsFoundByTheDigest() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      let head = served(hasLength: false).head(asked)
      return [head, .bytes(content, 0..<(asked.turn == 1 ? Block.length : content.size))]
    }
    expectChecked(bench, fetch(bench))
  }

  @Test func aDigestThatOnlyTheFirstAnswerToldHoldsForTheSecondToo() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      var served = served(hasLength: false)
      if asked.turn == 1 {
        let field = "sha-256=:\(base64(digest.digest)):"
        served.fields = [ResponseField("repr-digest", field)]
      }
      let all = damaged(asked, asked.turn + 1, hasLength: false).dropFirst()
      return [served.head(asked)] + all
    }
    let id = bench.fetch("/file")
    expectBad(bench, id, after: 3)
  }

  @Test func whatWasStoppedInTheMiddleIsWholeAndGoesOnThere() throws {
    let first = try Bench()
    first.web.answer {
      $0.turn == 1 ? damaged($0, 2) : served().held($0, after: 200_000, at: "repairing")
    }
    let id = fetch(first)
    #expect(first.web.reaches("repairing"))
    first.shutDown()
    let again = try Bench(in: first.scratch)
    #expect(again.engine.transfer(id)?.received == ByteCount(content.size))
    again.web.answer { served().whole($0) }
    again.engine.start([id])
    expectChecked(again, id)
    #expect(again.web.asked.count == 1)
  }

  @Test(arguments: [true, false])
  func passesAreCountedHoweverOftenTheProgramBeginsAnew(hasLength: Bool) throws {
    let scratch = Scratch()
    let first = try Bench(in: scratch)
    first.web.answer { asked in
      let all = damaged(asked, asked.turn + 1, hasLength: hasLength)
      return asked.turn < 3 ? all : all.prefix(1) + [.hold("second pass")] + all.dropFirst()
    }
    let id = fetch(first)
    // Who begins anew a second time waits a little.
    if !hasLength, let wait = first.waitForRetry(id) { first.pass(wait) }
    #expect(first.web.reaches("second pass"))
    first.shutDown()
    let again = try Bench(in: scratch)
    again.web.answer { damaged($0, 9, hasLength: hasLength) }
    again.engine.start([id])
    expectBad(again, id, after: 1)
  }

  @Test func aServerThatSentAnotherFileOnceIsHeldAgainstItself() throws {
    let site = try Site()
    site.server.on("/file") { request in
      .file(request.turn == 1 ? siteContent.version(2) : siteContent) { $0.ranges = .ignored }
    }
    let id = site.fetch { $0.checksum = checksum(.sha256, of: siteContent.bytes) }
    #expect(site.isFinished(id), "\(site.story(id))")
    #expect(site.bench.holds("file", siteContent))
    #expect(site.server.requests("/file").count == 2)
  }
}
