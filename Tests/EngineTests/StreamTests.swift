// SPDX-License-Identifier: Apache-2.0
//
// A first link without ranges: another one that has them takes the rest, and goes on where the
// stream breaks.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let size: Int64 = 8 * 1024 * 1024 + 17
private let content = Content(key: "stream", size: size)
private let begun: Int64 = 512 * 1024

extension Asked {
  fileprivate var host: String { request.link.origin.host }
}

/// The stream, which names another link.
private var stream: Served {
  var served = Served(content)
  served.hasRanges = false
  served.fields = [ResponseField("link", "<http://two.test/copy>; rel=duplicate")]
  return served
}

@Suite struct StreamTests {
  private func bench(
    in scratch: Scratch = Scratch(),
    _ first: @escaping Web.Script,
    _ second: @escaping Web.Script = { Served(content).whole($0) }
  ) throws -> Bench {
    let bench = try Bench(in: scratch)
    bench.web.answer { $0.host == "one.test" ? first($0) : second($0) }
    return bench
  }

  private func asked(_ bench: Bench, _ host: String) -> [Asked] {
    bench.web.asked.filter { $0.host == host }
  }

  private func log(_ bench: Bench, _ id: TransferID, has words: String) -> Bool {
    bench.engine.log(of: id).contains { $0.text.contains(words) }
  }

  /// Lets time pass until the second link has brought parts.
  private func waitForParts(_ bench: Bench) -> Bool {
    bench.wait("the second has fetched parts") {
      bench.engine.tick()
      return asked(bench, "two.test").count > 4
    }
  }

  @Test func anotherLinkTakesTheRestOfAStream() throws {
    let bench = try bench { stream.held($0, after: begun, at: "first") }
    let id = bench.fetch("/file") { $0.connections = .fixed(3) }
    #expect(waitForParts(bench))
    #expect(bench.engine.transfer(id)?.answer?.isResumable == true)
    bench.web.open("first")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(asked(bench, "one.test").count == 1)
    // Three blocks, then parts behind what the stream had brought.
    let parts = asked(bench, "two.test").dropFirst(3)
    #expect(parts.allSatisfy { $0.start > begun })
  }

  @Test(arguments: [1, 3])
  func whereTheStreamBreaksTheOtherGoesOn(connections: Int) throws {
    let bench = try bench { stream.cut($0, after: begun) }
    let id = bench.fetch("/file") { $0.connections = .fixed(connections) }
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    #expect(asked(bench, "one.test").count == 1)
    #expect(asked(bench, "two.test").dropFirst(3).allSatisfy { $0.start >= begun })
    #expect(!log(bench, id, has: "starting over"))
  }

  @Test func anotherLinkWithAnotherFileIsOfNoUseToAStream() throws {
    let bench = try bench(
      { $0.turn == 1 ? stream.cut($0, after: begun) : stream.whole($0) },
      { Served(content.version(2)).whole($0) }
    )
    let id = bench.fetch("/file") { $0.connections = .fixed(3) }
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    #expect(asked(bench, "one.test").count == 2)
  }

  @Test(arguments: [FailureKind.cannotConnect, .notFound])
  func aStreamBeginsAgainWhereNobodyElseIsLeft(kind: FailureKind) throws {
    let bench = try bench(
      { $0.turn == 1 ? stream.cut($0, after: begun) : stream.whole($0) },
      { _ in [.fail(Failure(kind))] }
    )
    let id = bench.fetch("/file") { $0.connections = .fixed(3) }
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
  }

  @Test func aLaterRunGoesOnFromTheOther() throws {
    let first = try bench { stream.held($0, after: begun, at: "first") }
    let id = first.fetch("/file") { $0.connections = .fixed(2) }
    #expect(waitForParts(first))
    first.shutDown()
    let again = try bench(in: first.scratch) { _ in [.fail(Failure(.cannotConnect))] }
    let had = again.engine.transfer(id)?.received ?? 0
    #expect(had > ByteCount(begun))
    again.engine.start([id])
    #expect(again.pump(id))
    #expect(again.holds("file", content))
    #expect(asked(again, "two.test").allSatisfy { $0.start > 0 })
  }

  /// A link that tells no length, another with ranges, and what a list says of the file.
  private func listed(
    _ bench: Bench,
    size listed: Int64 = size,
    hosts: [String] = ["one.test", "two.test"],
    hasDigest: Bool = true
  ) -> TransferID {
    bench.fetch("/file") {
      $0.mirrors = hosts.map { link("http://\($0)/file") }
      $0.connections = .fixed(3)
      $0.size = ByteCount(listed)
      $0.checksum = hasDigest ? checksum(.sha256, of: content.bytes) : nil
    }
  }

  /// The stream without a length; whoever is asked first for a byte, it is the first to answer.
  private func endless(
    _ count: Int64 = size,
    held gate: String? = nil
  ) -> Web.Script {
    { asked in
      var served = Served(content)
      (served.hasRanges, served.hasLength) = (false, false)
      let acts = [served.head(asked), .bytes(content, 0..<min(begun, count))]
      return acts + (gate.map { [.hold($0)] } ?? []) + [.bytes(content, begun..<count)]
    }
  }

  /// The other link, which answers no race.
  private let notInTheRace: Web.Script = { asked in
    asked.range(in: size).count == 1
      ? [.fail(Failure(.cannotConnect))] : Served(content).whole(asked)
  }

  @Test func theLengthThatAListTellsLetsAnotherLinkHelpAStreamWithoutOne() throws {
    let bench = try bench(endless(held: "first"), notInTheRace)
    let id = listed(bench)
    #expect(waitForParts(bench))
    bench.web.open("first")
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    guard case .finished(let completion)? = bench.state(id) else { return }
    #expect(completion.verification == .checked(.sha256))
  }

  @Test func anotherEndThatAnotherLinkHasIsFoundByTheDigestAndReplacedByTheStreams() throws {
    let bench = try bench(endless(held: "first")) { asked in
      let range = Served(content).range(asked)
      guard range.count > 1 else { return [.fail(Failure(.cannotConnect))] }
      let middle = min(max(range.lowerBound, size - 1000), range.upperBound)
      return [
        Served(content).head(asked), .bytes(content, range.lowerBound..<middle),
        .bytes(content.version(2), middle..<range.upperBound),
      ]
    }
    let id = listed(bench)
    #expect(waitForParts(bench))
    bench.web.open("first")
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    #expect(log(bench, id, has: "compared with one.test: 1000 bytes"))
  }

  @Test func withoutADigestNobodyHelpsAStreamWithoutALength() throws {
    let bench = try bench(endless(held: "first"), notInTheRace)
    let id = listed(bench, hasDigest: false)
    #expect(bench.web.reaches("first"))
    for _ in 0..<20 { bench.engine.tick() }
    bench.web.open("first")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(asked(bench, "two.test").allSatisfy { $0.range(in: size).count == 1 })
  }

  @Test(arguments: [size - 1000, size + 1000])
  func aListThatTellsAnotherLengthThanTheStreamHasIsTold(listed length: Int64) throws {
    let bench = try bench(endless())
    let id = listed(bench, size: length, hosts: ["one.test"])
    #expect(bench.pump(id))
    let failure = bench.waitFailed(id)
    #expect(failure?.kind == .notTheFile)
    let found = length < size ? "more than \(length)" : "\(size)"
    #expect(failure?.detail == "\(found) bytes where the list says \(length)")
  }

  @Test func aServerWithoutRangesIsHelpedByOneThatHasThem() throws {
    let site = try Site()
    let valve = Valve(bytes: siteCut)
    site.server.on(
      "/file",
      .file(content) {
        $0.ranges = .ignored
        $0.valve = valve
        $0.add("Link: </copy>; rel=duplicate")
      }
    )
    site.server.on("/copy", .file(content))
    let id = site.start(connections: 4)
    #expect(
      site.bench.wait("the other has brought the rest") {
        site.bench.engine.tick()
        return site.bench.engine.transfer(id).map { $0.received.bytes > size / 2 } == true
      }
    )
    valve.open()
    #expect(site.bench.pump(id))
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    #expect(site.server.requests("/file").count == 1)
  }
}
