// SPDX-License-Identifier: Apache-2.0
//
// Breaks, pauses between tries, changed files: what the engine does when it is not plain sailing.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "retry", size: 3 * 1024 * 1024)
private let cutAt: Int64 = 1024 * 1024

@Suite struct RetryTests {
  @Test func aBrokenConnectionIsResumedWhereItBroke() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.turn == 1 ? Served(content).cut(asked, after: cutAt) : Served(content).whole(asked)
    }
    let id = bench.fetch("/file")
    let wait = try #require(bench.waitForRetry(id))
    #expect(wait.failure.kind == .connectionLost)
    #expect(bench.web.asked.count == 1)
    bench.pass(wait)
    #expect(bench.waitFinished(id))
    #expect(bench.web.asked.map(\.start) == [0, cutAt])
    #expect(bench.web.asked.last?.request.ifRange == Behaviour.tag(content))
    #expect(bench.holds("file", content))
  }

  @Test func pausesGrowAndThenItGivesUp() throws {
    let bench = try Bench()
    bench.web.answer { _ in [.fail(Failure(.cannotConnect))] }
    let id = bench.fetch("/file")
    var pauses: [Double] = []
    for attempt in 2...6 {
      let wait = try #require(bench.waitForRetry(id, attempt: attempt))
      pauses.append((wait.until - bench.clock.now).inSeconds)
      bench.pass(wait)
    }
    #expect(bench.waitFailed(id)?.kind == .cannotConnect)
    #expect(pauses == [1, 2, 4, 8, 16])
    #expect(bench.web.asked.count == 6)
  }

  @Test func whatTheServerAsksForIsWaited() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.turn < 3
        ? [.head(429, [ResponseField("retry-after", "90")])] : Served(content).whole(asked)
    }
    let id = bench.fetch("/file")
    for attempt in 2...3 {
      let wait = try #require(bench.waitForRetry(id, attempt: attempt))
      #expect((wait.until - bench.clock.now).inSeconds == 90)
      bench.clock.advance(.seconds(89))
      bench.engine.tick()
      #expect(bench.web.asked.count == attempt - 1)
      bench.pass(wait)
    }
    #expect(bench.waitFinished(id))
  }

  @Test func resumingSkipsTheWait() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.turn == 1 ? [.fail(Failure(.timedOut))] : Served(content).whole(asked)
    }
    let id = bench.fetch("/file")
    _ = try #require(bench.waitForRetry(id))
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
  }

  @Test(arguments: [
    (404, FailureKind.notFound), (403, .refused), (401, .needsLogin), (204, .badAnswer),
    (410, .notFound), (400, .rejected),
  ])
  func whatCannotPassFailsAtOnce(status: Int, kind: FailureKind) throws {
    let bench = try Bench()
    bench.web.answer { _ in [.head(status, [])] }
    let failure = bench.waitFailed(bench.fetch("/file"))
    #expect(failure?.kind == kind)
    #expect(failure?.code == status)
    #expect(bench.web.asked.count == 1)
    #expect(bench.scratch.names.isEmpty)
  }

  @Test func aFileThatChangedOnTheServerBeginsAgain() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.turn == 1
        ? Served(content).cut(asked, after: cutAt) : Served(content.version(2)).whole(asked)
    }
    let id = bench.fetch("/file")
    let wait = try #require(bench.waitForRetry(id))
    bench.pass(wait)
    #expect(bench.pump(id))
    #expect(bench.holds("file", content.version(2)))
    #expect(bench.engine.log(of: id).contains { $0.text.hasPrefix("starting over") })
  }

  @Test func aShorterFileBeginsAgain() throws {
    let bench = try Bench()
    let short = Content(key: "retry", version: 3, size: 3000)
    bench.web.answer { asked in
      asked.turn == 1 ? Served(content).cut(asked, after: cutAt) : Served(short).whole(asked)
    }
    let id = bench.fetch("/file")
    #expect(bench.pump(id))
    #expect(bench.holds("file", short))
  }

  @Test func aPageInPlaceOfTheRestIsNotWritten() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      if asked.turn == 1 { return Served(content).cut(asked, after: cutAt) }
      let page = Content(key: "page", size: 7)
      return [.head(200, [ResponseField("content-length", "7")]), .bytes(page, 0..<7)]
    }
    let id = bench.fetch("/file")
    #expect(bench.pump(id))
    guard case .failed(let failure)? = bench.state(id) else {
      Issue.record("\(String(describing: bench.state(id)))")
      return
    }
    #expect(failure.kind == .notTheFile)
    #expect(
      bench.file("file.part").map { Array($0.prefix(Int(cutAt))) }
        == content.bytes(0..<cutAt)
    )
  }

  @Test func aCutStreamWithoutRangesIsFetchedFromTheBeginning() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      var served = Served(content)
      served.hasRanges = false
      served.hasLength = false
      return asked.turn == 1 ? served.cut(asked, after: cutAt, .cutShort) : served.whole(asked)
    }
    let id = bench.fetch("/file")
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    #expect(bench.web.asked.count == 2)
  }

  @Test func allConnectionsBrokenAtOnceAreTriedAgain() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      if asked.turn > 8 + 4 { return Served(content).whole(asked) }
      if asked.turn > 8 { return [.fail(Failure(.cannotConnect))] }
      return Served(content).held(asked, after: 65_536, at: "break").dropLast()
        + [.fail(Failure(.connectionLost))]
    }
    let id = bench.fetch("/file") { $0.connections = .fixed(8) }
    _ = bench.wait("several connections are open") { bench.web.running >= 4 }
    bench.web.open("break")
    #expect(bench.pump(id))
    #expect(bench.holds("file", content), "\(bench.engine.log(of: id).map(\.text))")
  }

  @Test func silenceIsShownAndEndsWithTheNextByte() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).held($0, after: cutAt, at: "silence") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("silence"))
    bench.clock.advance(.seconds(5))
    bench.engine.tick()
    #expect(bench.state(id) == .stalled)
    bench.web.open("silence")
    #expect(bench.waitFinished(id))
  }

  @Test func aTransferThatRunsLaterIsLookedAfterToo() throws {
    // The first transfer keeps the only place until the heart has long come to rest.
    let bench = try Bench(jobs: 1)
    bench.web.answer { asked in
      if asked.path == "/first" { return Served(content).held(asked, after: 10, at: "first") }
      return asked.turn == 1 ? [.fail(Failure(.timedOut))] : Served(content).whole(asked)
    }
    let ids = bench.engine.add([bench.request("/first"), bench.request("/second")])
    bench.engine.start(ids)
    #expect(bench.web.reaches("first"))
    bench.web.open("first")
    #expect(bench.waitFinished(ids[0]))
    let wait = try #require(bench.waitForRetry(ids[1]))
    bench.clock.reach(wait.until)
    #expect(bench.waitFinished(ids[1]))
  }
}

@Suite struct MirrorTests {
  private func request(_ bench: Bench, _ hosts: [String]) -> TransferRequest {
    var request = bench.request("/file")
    request.mirrors = hosts.map { link("http://\($0).test/file") }
    return request
  }

  private func start(_ bench: Bench, _ hosts: [String]) -> TransferID {
    let id = bench.engine.add([request(bench, hosts)])[0]
    bench.engine.start([id])
    return id
  }

  @Test func aFastGoodMirrorBeatsASlowOne() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.request.link.origin.host == "slow.test"
        ? [.hold("never")] + Served(content).whole(asked) : Served(content).whole(asked)
    }
    let id = start(bench, ["slow", "fast"])
    #expect(bench.waitFinished(id))
    #expect(bench.web.asked.last?.request.link.origin.host == "fast.test")
    #expect(bench.holds("file", content))
    #expect(bench.web.waitUntilQuiet())
  }

  @Test func deadMirrorsLose() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      switch asked.request.link.origin.host {
      case "gone.test": [.head(404, [])]
      case "dead.test": [.fail(Failure(.cannotConnect))]
      default: Served(content).whole(asked)
      }
    }
    let id = start(bench, ["gone", "dead", "good"])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func whenAllAreDeadTheReasonIsTold() throws {
    let bench = try Bench()
    bench.web.answer { _ in [.head(404, [])] }
    let failure = bench.waitFailed(start(bench, ["one", "two"]))
    #expect(failure?.kind == .notFound)
  }

  @Test func aMirrorThatDiesIsReplacedByTheNext() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      // The race prefers the first; afterwards it has lost the file.
      if asked.request.link.origin.host == "second.test" {
        return asked.request.range == .part(ByteRange(0, 1))
          ? [.hold("never")] : Served(content).whole(asked)
      }
      return asked.turn <= 2 ? Served(content).whole(asked) : [.head(404, [])]
    }
    bench.web.answer { asked in
      let isRace = asked.request.range == .part(ByteRange(0, 1))
      if asked.request.link.origin.host == "second.test" {
        return isRace ? [.hold("never")] : Served(content).whole(asked)
      }
      return isRace ? Served(content).whole(asked) : [.head(404, [])]
    }
    let id = start(bench, ["first", "second"])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func aPauseDoesNotWaitForSilentMirrors() throws {
    let bench = try Bench()
    bench.web.answer { _ in [.hold("never")] }
    let id = start(bench, ["one", "two"])
    #expect(bench.web.reaches("never"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.web.waitUntilQuiet())
    bench.shutDown()
  }
}
