// SPDX-License-Identifier: Apache-2.0
//
// Several links for one file: each is compared before its bytes are taken, and loses its place to
// the others when it is slow, wrong or gone.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let size: Int64 = 5 * 1024 * 1024 + 17
private let content = Content(key: "sources", size: size)
private let block = SampleBlocks.length
/// What the first link sends before it stands still.
private let begun: Int64 = 512 * 1024

/// Two links; the first wins the race and stands still after a while, until its gate is opened.
private final class Pair: Sendable {
  let bench: Bench

  init(_ second: @escaping Web.Script, first: Web.Script? = nil) throws {
    bench = try Bench()
    bench.web.answer { asked in
      if asked.request.range == .part(ByteRange(0, 1)) {
        return asked.host == "one.test" ? Served(content).whole(asked) : [.hold("never")]
      }
      if asked.host == "two.test" { return second(asked) }
      return first?(asked) ?? Served(content).held(asked, after: begun, at: "first")
    }
  }

  func start(connections: Int = 2) -> TransferID {
    bench.fetch("/file") {
      $0.mirrors = ["one", "two"].map { link("http://\($0).test/file") }
      $0.connections = .fixed(connections)
    }
  }

  /// What the second link was asked for after the race.
  var asked: [ByteRange] {
    bench.web.asked.filter { $0.host == "two.test" }.compactMap(\.part).filter { $0.count > 1 }
  }

  /// Lets time pass until something holds.
  func wait(_ words: String, until condition: () -> Bool) -> Bool {
    bench.wait(words) {
      bench.engine.tick()
      return condition()
    }
  }

  func log(_ id: TransferID, has words: String) -> Bool {
    bench.engine.log(of: id).contains { $0.text.contains(words) }
  }
}

extension Asked {
  fileprivate var host: String { request.link.origin.host }

  fileprivate var part: ByteRange? {
    if case .part(let range) = request.range { range } else { nil }
  }
}

@Suite struct SourceTests {
  @Test func bothLinksAreUsedOnceTheirBlocksAgree() throws {
    let pair = try Pair({ Served(content).whole($0) })
    let id = pair.start()
    #expect(pair.wait("the second has fetched") { pair.asked.count > 4 })
    pair.bench.web.open("first")
    #expect(pair.bench.waitFinished(id))
    #expect(pair.bench.holds("file", content))
    #expect(pair.log(id, has: "two.test has the same file"))
    // Three blocks of what is there, then parts behind it.
    #expect(pair.asked.prefix(3).allSatisfy { $0.count == block && $0.upper <= begun })
    #expect(pair.asked.dropFirst(3).allSatisfy { $0.lower > begun })
  }

  @Test func anotherFileOfTheSameLengthIsSetAside() throws {
    let pair = try Pair({ Served(content.version(2)).whole($0) })
    arrivesWithoutTheSecond(pair)
    #expect(pair.asked.count == 1)
  }

  /// Sees the second link set aside and the file arrive from the first.
  @discardableResult
  private func arrivesWithoutTheSecond(_ pair: Pair) -> TransferID {
    let id = pair.start()
    #expect(pair.wait("it is set aside") { pair.log(id, has: "two.test set aside") })
    pair.bench.web.open("first")
    #expect(pair.bench.waitFinished(id))
    #expect(pair.bench.holds("file", content))
    return id
  }

  @Test(arguments: [true, false])
  func anotherLengthOrNoneIsSetAside(isTold: Bool) throws {
    let pair = try Pair({ asked in
      let range = asked.range(in: size)
      let total = isTold ? "\(size + 1)" : "*"
      let span = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"
      return [.head(206, [ResponseField("content-range", span)]), .bytes(content, range)]
    })
    arrivesWithoutTheSecond(pair)
    #expect(pair.asked.count == 1)
  }

  @Test func aSecondLinkThatDiesMeansFewerSources() throws {
    let pair = try Pair({ asked in
      let isBlock = asked.part?.count == block
      return isBlock ? Served(content).whole(asked) : [.head(404, [])]
    })
    arrivesWithoutTheSecond(pair)
    #expect(pair.asked.count == 4)
  }

  @Test func theOthersGoOnWhereTheFirstLinkDies() throws {
    let pair = try Pair(
      { Served(content).whole($0) },
      first: { asked in
        asked.start > 0
          ? [.head(404, [])]
          : Array(Served(content).held(asked, after: begun, at: "first").prefix(3))
            + [.fail(Failure(.connectionLost))]
      }
    )
    let id = pair.start()
    #expect(pair.wait("the second has fetched") { pair.asked.count > 4 })
    pair.bench.web.open("first")
    #expect(pair.bench.pump(id))
    #expect(pair.bench.holds("file", content))
    #expect(!pair.log(id, has: "starting over"))
    #expect(pair.asked.dropFirst(3).allSatisfy { $0.lower >= begun })
  }

  @Test func aLinkWithAnotherVersionInTheMiddleIsSetAsideAndNothingStartsOver() throws {
    let pair = try Pair({ asked in
      let isBlock = asked.part?.count == block
      return Served(isBlock ? content : content.version(2)).whole(asked)
    })
    let id = arrivesWithoutTheSecond(pair)
    #expect(!pair.log(id, has: "starting over"))
  }

  @Test func aSmallFileAsksNoMoreThanBefore() throws {
    let small = Content(key: "small", size: 1024 * 1024)
    let bench = try Bench()
    bench.web.answer { Served(small).whole($0) }
    let id = bench.fetch("/file") {
      $0.mirrors = ["one", "two"].map { link("http://\($0).test/file") }
    }
    #expect(bench.waitFinished(id))
    #expect(bench.web.asked.count { $0.part?.count != 1 } == 1)
  }
}

@Suite struct ReturningSourceTests {
  /// Fetches some bytes from the first link alone, then stands still.
  private func begin(_ bench: Bench, _ hosts: [String]) -> TransferID {
    bench.web.answer { asked in
      guard asked.part?.count != 1 else {
        return asked.host == "one.test" ? Served(content).whole(asked) : [.hold("never")]
      }
      return Served(content).held(asked, after: begun, at: "middle")
    }
    let id = bench.fetch("/file") {
      $0.mirrors = hosts.map { link("http://\($0).test/file") }
    }
    #expect(bench.web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    return id
  }

  /// From now on the second link wins the race.
  private func answer(_ bench: Bench, one: Content, two: Content) {
    bench.web.answer { asked in
      let isFirst = asked.host == "one.test"
      if asked.part?.count == 1, isFirst { return [.hold("never")] }
      var served = Served(isFirst ? one : two)
      if !isFirst { served.tag = "\"the second's own\"" }
      return served.whole(asked)
    }
  }

  @Test func bytesOfOneLinkAreContinuedFromAnother() throws {
    let bench = try Bench()
    let id = begin(bench, ["one", "two"])
    let before = bench.web.asked.count
    answer(bench, one: content, two: content)
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    let asked = bench.web.asked.dropFirst(before).filter { $0.part?.count != 1 }
    #expect(asked.map(\.host) == ["two.test", "two.test", "two.test", "two.test"])
    #expect((asked.last?.start ?? 0) > 0)
  }

  @Test func theFirstLinkGoesOnWhereTheWinnerHasAnotherFile() throws {
    let bench = try Bench()
    let id = begin(bench, ["one", "two"])
    answer(bench, one: content, two: content.version(2))
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(bench.web.asked.last?.host == "one.test")
    #expect(bench.web.asked.last?.request.ifRange == Behaviour.tag(content))
    #expect((bench.web.asked.last?.start ?? 0) > 0)
  }

  @Test func whatHasChangedEverywhereStartsOver() throws {
    let bench = try Bench()
    let id = begin(bench, ["one", "two"])
    let newer = content.version(2)
    answer(bench, one: newer, two: newer)
    bench.engine.resume([id])
    #expect(bench.pump(id))
    #expect(bench.holds("file", newer))
    #expect(bench.engine.log(of: id).contains { $0.text.contains("starting over") })
  }
}
