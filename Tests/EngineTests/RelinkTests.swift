// SPDX-License-Identifier: Apache-2.0
//
// A new link for a transfer that has begun: it goes on with every byte, or the old link stays.

import Connections
import FaultServer
import Storage
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "relink", size: 2 * 1024 * 1024 + 5)
private let middle: Int64 = 1024 * 1024
private let newLink = link("http://new.test/elsewhere?token=1")

@Suite struct RelinkTests {
  /// Fetches the first half from the old link, then pauses.
  private func begin(
    _ bench: Bench,
    _ served: Served = Served(content),
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferID {
    bench.web.answer { served.held($0, after: middle, at: "middle") }
    let id = bench.fetch("/file", change)
    #expect(bench.web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    return id
  }

  /// From now on the old link is dead.
  private func answer(_ bench: Bench, _ new: @escaping Web.Script) {
    bench.web.answer { asked in
      asked.request.link.origin.host == "new.test" ? new(asked) : [.head(403, [])]
    }
  }

  /// What the new link was asked for.
  private func asked(_ bench: Bench) -> [Asked] {
    bench.web.asked.filter { $0.request.link.origin.host == "new.test" }
  }

  private func expectKept(_ bench: Bench, _ id: TransferID) throws {
    let transfer = try #require(bench.engine.transfer(id))
    #expect(transfer.request.link.text == "http://one.test/file")
    #expect(transfer.newLink == nil)
    #expect(transfer.received.bytes >= middle - 256 * 1024)
    #expect(bench.engine.log(of: id).contains { $0.text.contains("the old link is kept") })
    #expect(!bench.engine.log(of: id).contains { $0.text.hasPrefix("starting over") })
    let have = transfer.have.ranges.first?.upper ?? 0
    let onDisk = bench.file("file.part").map { Array($0.prefix(Int(have))) }
    #expect(onDisk == content.bytes(0..<have))
  }

  @Test func theRightLinkGoesOnWithEveryByte() throws {
    let bench = try Bench()
    let id = begin(bench)
    let have = try #require(bench.engine.transfer(id)).received.bytes
    var served = Served(content)
    served.tag = "\"another server's\""
    answer(bench) { [served] in served.whole($0) }
    #expect(bench.engine.relink(id, newLink))
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(asked(bench).count == 4)
    #expect(asked(bench).dropLast().allSatisfy { $0.range(in: content.size).count == 65_536 })
    #expect(asked(bench).last?.start == have)
    #expect(bench.engine.transfer(id)?.request.mirrors == [newLink])
  }

  @Test func anotherFileOfTheSameLengthFailsAndTheOldLinkGoesOn() throws {
    let bench = try Bench()
    let id = begin(bench)
    answer(bench) { Served(content.version(2)).whole($0) }
    #expect(bench.engine.relink(id, newLink))
    #expect(bench.waitFailed(id)?.kind == .otherFile)
    try expectKept(bench, id)
    #expect(asked(bench).count == 1)
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect((bench.web.asked.last?.start ?? 0) > 0)
  }

  @Test func anotherLengthNoRangesAndNoAnswerFailAndNothingIsLost() throws {
    let longer = Content(key: "relink", size: content.size + 1)
    var whole = Served(content)
    whole.hasRanges = false
    let scripts: [(Web.Script, FailureKind)] = [
      ({ Served(longer).whole($0) }, .otherFile), ({ [whole] in whole.whole($0) }, .otherFile),
      ({ _ in [.head(404, [])] }, .notFound),
    ]
    for (script, kind) in scripts {
      let bench = try Bench()
      let id = begin(bench)
      answer(bench, script)
      #expect(bench.engine.relink(id, newLink))
      #expect(bench.waitFailed(id)?.kind == kind)
      try expectKept(bench, id)
    }
  }

  @Test func aRunningTransferTakesANewLinkToo() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.request.link.origin.host == "new.test"
        ? Served(content).whole(asked) : Served(content).held(asked, after: middle, at: "middle")
    }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    #expect(bench.engine.relink(id, newLink))
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect((asked(bench).last?.start ?? 0) > 0)
  }

  @Test func aServerWithoutRangesMayBeFollowedByOneThatHasThem() throws {
    let bench = try Bench()
    var served = Served(content)
    served.hasRanges = false
    let id = begin(bench, served)
    answer(bench) { Served(content).whole($0) }
    #expect(bench.engine.relink(id, newLink))
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect((asked(bench).last?.start ?? 0) > 0)
  }

  @Test func aComparisonThatWasStoppedGoesOnInTheNextProgram() throws {
    let scratch = Scratch()
    var id = TransferID(0)
    do {
      let bench = try Bench(in: scratch)
      id = begin(bench)
      answer(bench) { [.hold("never")] + Served(content).whole($0) }
      #expect(bench.engine.relink(id, newLink))
      #expect(bench.web.reaches("never"))
      bench.shutDown()
    }
    let bench = try Bench(in: scratch)
    #expect(bench.engine.transfer(id)?.newLink == newLink)
    answer(bench) { Served(content.version(2)).whole($0) }
    bench.engine.start([id])
    #expect(bench.waitFailed(id)?.kind == .otherFile)
    let transfer = try #require(bench.engine.transfer(id))
    #expect(transfer.request.link.text == "http://one.test/file" && transfer.received > 0)
    answer(bench) { Served(content).whole($0) }
    #expect(bench.engine.relink(id, newLink))
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(try bench.remembered().first?.request.mirrors == [newLink])
  }

  @Test func headersStayWithTheOldOrigin() throws {
    let bench = try Bench()
    let field = try #require(HeaderField(name: "Authorization", value: "secret"))
    let id = begin(bench) { $0.headers = [field] }
    answer(bench) { Served(content).whole($0) }
    #expect(bench.engine.relink(id, newLink))
    #expect(bench.waitFinished(id))
    // Connections sends them to the origin they belong to only.
    #expect(
      asked(bench).allSatisfy {
        $0.request.headers.isEmpty || $0.request.headerOrigin.host == "one.test"
      }
    )
    #expect(bench.engine.transfer(id)?.request.headers == [])
  }

  @Test func whatIsFinishedTakesNone() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).whole($0) }
    let id = bench.fetch("/file")
    #expect(bench.waitFinished(id))
    #expect(!bench.engine.relink(id, newLink))
    #expect(bench.state(id)?.isFinished == true)
  }
}

@Suite struct ExpiredTargetTests {
  /// A link that leads to targets, of which each serves so many requests.
  private func site(uses: Int) throws -> Site {
    let site = try Site()
    site.server.on("/file") { asked in
      .redirect(to: asked.turn == 1 ? "/first" : uses == 0 ? "/gone" : "/later\(asked.turn)")
    }
    site.server.on(
      "/first",
      .file(siteContent) { $0.cut = Behaviour.Cut(after: siteCut, .reset) }
    )
    site.server.on("/gone", .status(403))
    for turn in 2...6 {
      site.server.on("/later\(turn)", turn == 2 ? .status(410) : .file(siteContent))
    }
    return site
  }

  @Test func theLinkIsAskedAgainWhereItsTargetHasExpired() throws {
    let site = try site(uses: 1)
    let id = site.fetch()
    #expect(site.isFinished(id), "\(site.story(id))")
    #expect(site.bench.holds("file", siteContent) || site.bench.holds("first", siteContent))
    #expect(site.server.requests("/file").count == 3)
    #expect(site.server.requests("/later3").last?.range?.hasPrefix("bytes=0-") == false)
  }

  @Test func aTargetThatStaysGoneIsAskedForOnceMoreAndThenTold() throws {
    let site = try site(uses: 0)
    let id = site.fetch()
    #expect(site.failure(id)?.kind == .refused)
    #expect(site.server.requests("/file").count == 3)
    #expect((site.bench.engine.transfer(id)?.received ?? 0) > 0)
  }
}
