// SPDX-License-Identifier: Apache-2.0
//
// The engine with real connections against a server that misbehaves.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let size: Int64 = 4 * 1024 * 1024
private let content = Content(key: "served", size: size)
private let cutAt: Int64 = 1_500_000

/// An engine, a server, and the handles of the connections.
private final class Site: Sendable {
  let server = FaultServer.start()
  let bench: Bench
  private let handles = HandleCache()

  init(jobs: Int = 4) throws {
    Curl.initialize()
    let handles = handles
    bench = try Bench(jobs: jobs, connect: { BlockingConnection(handles: handles) })
  }

  deinit {
    bench.shutDown()
    handles.close()
    server.stop()
  }

  /// Fetches a path to its end.
  func fetch(
    _ path: String = "/file",
    connections: Int = 1,
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferID {
    let id = start(path, connections: connections, change)
    _ = bench.pump(id)
    return id
  }

  func start(
    _ path: String = "/file",
    connections: Int = 1,
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferID {
    let url = server.url(path)
    let id = bench.engine.add([
      bench.request("/") {
        $0.mirrors = [link(url)]
        $0.connections = .fixed(connections)
        change(&$0)
      }
    ])[0]
    bench.engine.start([id])
    return id
  }

  /// Fetches the first bytes of a file, then pauses it.
  func begin(_ content: Content, _ change: (inout Behaviour) -> Void = { _ in }) -> TransferID {
    let valve = Valve(bytes: cutAt)
    server.on(
      "/file",
      .file(content) {
        change(&$0)
        $0.valve = valve
      }
    )
    let id = start()
    _ = bench.wait("the first bytes are sent") {
      server.requests("/file").last.map { $0.bytesSent == cutAt } == true
    }
    bench.engine.pause([id])
    _ = bench.waitPaused(id)
    return id
  }

  /// Goes on with what was begun.
  func resume(_ id: TransferID) {
    bench.engine.resume([id])
    _ = bench.pump(id)
  }

  func failure(_ id: TransferID) -> Failure? {
    if case .failed(let failure)? = bench.state(id) { failure } else { nil }
  }

  /// What is known of a transfer, for the report of a test that failed.
  func story(_ id: TransferID) -> String {
    let lines = server.requests.map { "\($0.range ?? "all") \($0.status) \($0.bytesSent)" }
    return "\(bench.engine.log(of: id).map(\.text)) \(lines)"
  }

  func isFinished(_ id: TransferID) -> Bool { bench.state(id)?.isFinished == true }
}

@Suite struct ServerTests {
  @Test func linksWithOneNameMakeOneFileEach() throws {
    let site = try Site(jobs: 6)
    for key in 0..<6 {
      site.server.on("/dir\(key)/same.bin", .file(Content(key: "\(key)", size: 9999)))
    }
    let ids = (0..<6).map { site.start("/dir\($0)/same.bin") }
    for (key, id) in ids.enumerated() {
      #expect(site.bench.pump(id))
      let name = try #require(site.bench.engine.transfer(id)?.name)
      #expect(site.bench.holds(name, Content(key: "\(key)", size: 9999)))
    }
    #expect(site.bench.scratch.names.count == 6)
  }

  @Test func aNameFromTheHeaderIsReservedToo() throws {
    let site = try Site()
    for key in 0..<3 {
      site.server.on(
        "/get\(key)",
        .file(Content(key: "\(key)", size: 5000)) {
          $0.add("Content-Disposition: attachment; filename=\"same.bin\"")
        }
      )
    }
    let ids = (0..<3).map { site.start("/get\($0)") }
    for id in ids { #expect(site.bench.pump(id)) }
    #expect(site.bench.scratch.names == ["same (1).bin", "same (2).bin", "same.bin"])
  }

  @Test func aPausedFileIsResumedWithProof() throws {
    let site = try Site()
    let id = site.begin(content)
    let have = try #require(site.bench.engine.transfer(id)).received.bytes
    site.server.on("/file", .file(content))
    site.resume(id)
    #expect(site.bench.holds("file", content))
    let request = site.server.requests("/file").last
    #expect(request?.header("If-Range") == Behaviour.tag(content))
    #expect(request?.range?.hasPrefix("bytes=\(have)-") == true)
    #expect(request?.status == 206)
  }

  @Test func aFileThatChangedIsFetchedWhole() throws {
    let site = try Site()
    let id = site.begin(content)
    site.server.on("/file", .file(content.version(2)))
    site.resume(id)
    #expect(site.bench.holds("file", content.version(2)))
    #expect(site.bench.engine.log(of: id).contains { $0.text.hasPrefix("starting over") })
  }

  @Test func aServerThatDoesNotTakeTagsIsAskedWithTheDate() throws {
    let site = try Site()
    let id = site.begin(content) { $0.ifRange = .tagRefused }
    let have = try #require(site.bench.engine.transfer(id)).received.bytes
    site.server.on("/file", .file(content) { $0.ifRange = .tagRefused })
    site.resume(id)
    #expect(site.bench.holds("file", content))
    #expect(site.server.requests("/file").last?.header("If-Range") == Behaviour.date(content))
    #expect(site.server.requests("/file").last?.range?.hasPrefix("bytes=\(have)-") == true)
  }

  @Test(arguments: [1, 4])
  func tagsThatMoveEndNowhereButInTheFile(connections: Int) throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.validation = .randomTag
        $0.cut = Behaviour.Cut(after: cutAt, .end, answers: 1)
      }
    )
    let id = site.fetch(connections: connections)
    #expect(site.bench.holds("file", content))
    #expect(site.server.requests("/file").count < (connections == 1 ? 10 : 24))
    #expect(site.isFinished(id))
  }

  @Test func withoutValidatorsNothingIsJoined() throws {
    let site = try Site()
    let id = site.begin(content) { $0.validation = .none }
    site.server.on("/file", .file(content.version(2)) { $0.validation = .none })
    site.resume(id)
    #expect(site.bench.holds("file", content.version(2)))
  }

  @Test func aRangeThatIsIgnoredOnResumeBeginsAgain() throws {
    let site = try Site()
    let id = site.begin(content)
    site.server.on("/file", .file(content) { $0.ranges = .ignored })
    site.resume(id)
    #expect(site.bench.holds("file", content))
    #expect(site.bench.scratch.names == ["file"])
  }

  static let faults: [(String, Behaviour.ContentRangeFault)] = [
    ("zero", .zero), ("shift", .shift(1)), ("early", .shift(-100)), ("total", .total(size + 32)),
    ("missing", .missing), ("garbage", .garbage),
  ]

  @Test(arguments: faults.indices, [1, 4])
  func wrongPartsNeverMakeAWrongFile(fault: Int, connections: Int) throws {
    let site = try Site()
    site.server.on("/file") { request in
      .file(content) {
        let isWhole = request.range == nil || request.range == "bytes=0-"
        $0.contentRange = isWhole ? .none : Self.faults[fault].1
        $0.cut = Behaviour.Cut(after: cutAt, .end, answers: 1)
      }
    }
    let id = site.fetch(connections: connections)
    if site.isFinished(id) {
      #expect(site.bench.holds("file", content), "\(Self.faults[fault].0)")
    } else {
      #expect(site.failure(id) != nil)
      #expect(!site.bench.scratch.names.contains("file"))
    }
    #expect(site.server.requests("/file").count < 40)
  }

  @Test func onlyAChecksumFindsBytesThatLie() throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.contentRange = .lie
        $0.cut = Behaviour.Cut(after: cutAt, .end, answers: 1)
      }
    )
    let id = site.fetch { $0.checksum = checksum(.sha256, of: content.bytes) }
    #expect(site.failure(id)?.kind == .checksumDiffers)
    #expect(!site.bench.scratch.names.contains("file"))
  }

  @Test func aServerThatRefusesEveryRangeIsAskedWithout() throws {
    let site = try Site()
    site.server.on("/file", .file(content) { $0.ranges = .refused })
    #expect(site.isFinished(site.fetch(connections: 4)))
    #expect(site.bench.holds("file", content))
  }

  @Test(arguments: [true, false])
  func aFileThatShrankIsFetchedWhole(sameKey: Bool) throws {
    let site = try Site()
    let id = site.begin(content)
    let short = Content(key: sameKey ? "served" : "other", version: 2, size: 300_000)
    site.server.on("/file", .file(short))
    site.resume(id)
    #expect(site.bench.holds("file", short))
  }

  @Test func aCodingThatWasNotAskedForIsUndone() throws {
    let site = try Site()
    site.server.on("/file", .file(content) { $0.isCompressed = true })
    let id = site.fetch(connections: 4)
    #expect(site.isFinished(id))
    #expect(site.bench.holds("file", content))
    let coding = site.server.requests("/file").first?.header("Accept-Encoding")
    #expect(coding == nil || coding == "identity")
  }

  @Test(arguments: [true, false])
  func aStreamThatIsCutIsResumedThere(byReset: Bool) throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.cut = Behaviour.Cut(after: cutAt, byReset ? .reset : .end, answers: 1)
      }
    )
    _ = site.fetch()
    #expect(site.bench.holds("file", content))
    let starts = site.server.requests("/file").map { $0.range ?? "" }
    #expect(starts.count == 2)
    if !byReset { #expect(starts.last?.hasPrefix("bytes=\(cutAt)-") == true) }
  }

  @Test func aPromiseThatIsNeverKeptIsAFailure() throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.framing = .promisesMore(1000)
        $0.ranges = .ignored
      }
    )
    let id = site.fetch()
    #expect(site.failure(id) != nil)
    #expect(site.server.requests("/file").count <= 8)
    #expect(!site.bench.scratch.names.contains("file"))
  }

  static let framings: [Behaviour.BodyFraming] = [
    .chunked(10_000), .untilClose, .http10, .both(off: -1507), .extra(100),
  ]

  @Test(arguments: framings.indices, [true, false])
  func everyFramingGivesTheSameFile(framing: Int, hasRanges: Bool) throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.framing = Self.framings[framing]
        $0.ranges = hasRanges ? .honoured : .ignored
      }
    )
    let id = site.fetch()
    #expect(site.bench.holds("file", content), "\(Self.framings[framing])")
    #expect(site.isFinished(id))
  }

  @Test func aCutChunkStreamIsNoFile() throws {
    let site = try Site()
    site.server.on("/file") { request in
      .file(content) {
        $0.framing = request.turn == 1 ? .chunkedCut : .chunked(10_000)
        $0.ranges = .ignored
      }
    }
    _ = site.fetch()
    #expect(site.bench.holds("file", content))
    #expect(site.server.requests("/file").count == 2)
  }

  @Test(arguments: [1, 4])
  func twoVersionsAreNeverMixed(connections: Int) throws {
    let site = try Site()
    site.server.on("/file") { request in
      .file(content.version(1 + request.number % 2)) {
        $0.cut = Behaviour.Cut(after: cutAt, .end, answers: 2)
      }
    }
    let id = site.fetch(connections: connections)
    if site.isFinished(id) {
      let isOne = site.bench.holds("file", content) || site.bench.holds("file", content.version(2))
      #expect(isOne)
    } else {
      #expect(!site.bench.scratch.names.contains("file"))
    }
    #expect(site.server.requests("/file").count < 40)
  }

  @Test func lengthsThatAlternateAreNeverMixed() throws {
    let site = try Site()
    site.server.on("/file") { request in
      .file(Content(key: "served", size: size + Int64(request.number % 2) * 32)) {
        $0.validation = .none
      }
    }
    let id = site.fetch(connections: 4)
    if site.isFinished(id) {
      let isOne = [0, 32].contains {
        site.bench.holds("file", Content(key: "served", size: size + $0))
      }
      #expect(isOne)
    } else {
      #expect(!site.bench.scratch.names.contains("file"))
    }
  }

  @Test func anExpiringTargetIsAskedForAgain() throws {
    let site = try Site()
    site.server.on("/signed") { .redirect(to: "/target\($0.turn)") }
    for turn in 1...4 {
      site.server.on("/target\(turn)") { request in
        guard request.turn == 1 else { return .status(403, body: "<Error/>") }
        return .file(content) { $0.cut = Behaviour.Cut(after: cutAt, .end, answers: 1) }
      }
    }
    _ = site.fetch("/signed") { $0.name = "file" }
    #expect(site.bench.holds("file", content))
    #expect(site.server.requests("/signed").count >= 2)
  }

  @Test func aPageThatSaysExpiredIsNotTheFile() throws {
    let site = try Site()
    let id = site.begin(content)
    let have = try #require(site.bench.engine.transfer(id)).received.bytes
    site.server.on("/file", .status(200, body: "expired"))
    site.resume(id)
    #expect(site.failure(id)?.kind == .notTheFile)
    let part = site.bench.file("file.part").map { Array($0.prefix(Int(have))) }
    let isKept = part == content.bytes(0..<have)
    #expect(isKept && have > 0)
  }

  @Test func nothingButGetIsEverSent() throws {
    let site = try Site()
    site.server.on("/file") { request in
      request.method == "GET" ? .file(content) : .status(405)
    }
    #expect(site.isFinished(site.fetch(connections: 4)))
    #expect(site.server.requests.allSatisfy { $0.method == "GET" })
  }

  @Test(arguments: [429, 503])
  func aBusyServerIsLeftAloneAsLongAsItAsks(status: Int) throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.failures = Behaviour.Failures(first: 2, status: status, retryAfter: "20")
      }
    )
    let id = site.start()
    for attempt in 2...3 {
      let wait = try #require(site.bench.waitForRetry(id, attempt: attempt))
      #expect((wait.until - site.bench.clock.now).inSeconds == 20)
      site.bench.pass(wait)
    }
    #expect(site.bench.waitFinished(id))
    #expect(site.server.requests("/file").count == 3)
  }

  @Test(arguments: [true, false])
  func aLimitOfConnectionsIsKept(byReset: Bool) throws {
    let site = try Site()
    site.server.on(
      "/file",
      .file(content) {
        $0.concurrency = 2
        $0.overload = byReset ? .reset : .end
      }
    )
    let id = site.fetch(connections: 8)
    #expect(site.isFinished(id), "\(site.story(id))")
    #expect(site.bench.holds("file", content))
    #expect(site.server.requests("/file").count < 20)
  }

  @Test func aSlowRestIsTakenOver() throws {
    let site = try Site()
    let slow = Valve(bytes: 65_536)
    site.server.on("/file") { request in
      .file(content) { if request.turn == 2 { $0.valve = slow } }
    }
    let id = site.start(connections: 2)
    let isDone = site.bench.wait("the rest is taken over") {
      site.bench.clock.advance(.milliseconds(100))
      site.bench.engine.tick()
      return site.isFinished(id)
    }
    #expect(isDone)
    #expect(site.bench.holds("file", content))
  }

  @Test func aSilentServerIsShownAndLeftAtOnce() throws {
    let site = try Site()
    let valve = Valve(bytes: 1_000_000)
    site.server.on("/file", .file(content) { $0.valve = valve })
    let id = site.start()
    #expect(
      site.bench.wait("it is silent") {
        site.bench.clock.advance(.seconds(1))
        site.bench.engine.tick()
        return site.bench.state(id) == .stalled
      }
    )
    site.bench.engine.pause([id])
    #expect(site.bench.waitPaused(id))
    valve.open()
    site.resume(id)
    #expect(site.bench.holds("file", content))
  }

  @Test func aServerThatNeverAnswersDoesNotHoldUpTheEnd() throws {
    let site = try Site()
    site.server.on("/file", .file(content) { $0.headValve = Valve() })
    _ = site.start()
    #expect(site.server.waitForRequests(1, "/file"))
    site.bench.shutDown()
    #expect(site.bench.web.running == 0)
  }
}
