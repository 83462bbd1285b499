// SPDX-License-Identifier: Apache-2.0
//
// Names, versions, links that expire, limits and slow servers, with real connections.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let size = siteSize
private let content = siteContent
private let cutAt = siteCut

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
    // Each refusal is a connection less; what else is asked for is a part of the file.
    let requests = site.server.requests("/file")
    #expect(requests.count { $0.status != 200 && $0.status != 206 } <= 7, "\(site.story(id))")
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
