// SPDX-License-Identifier: Apache-2.0
//
// Resuming with real connections: proof, foreign answers, wrong parts, changed files.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let size = siteSize
private let content = siteContent
private let cutAt = siteCut

@Suite struct ServerResumeTests {
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

  @Test(arguments: [1, 4])
  func withoutValidatorsNothingIsJoinedBetweenTwoTriesEither(connections: Int) throws {
    let site = try Site()
    site.server.on("/file") { request in
      .file(content.version(request.number <= connections ? 1 : 2)) {
        $0.validation = .none
        if request.number <= connections { $0.cut = Behaviour.Cut(after: 200_000, .end) }
      }
    }
    let id = site.fetch(connections: connections)
    #expect(site.isFinished(id), "\(site.story(id))")
    #expect(site.bench.holds("file", content.version(2)), "\(site.story(id))")
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
    #expect(site.isFinished(id), "\(site.story(id))")
    #expect(site.bench.holds("file", content))
    #expect(site.bench.engine.log(of: id).contains { $0.text.contains("blocks replaced") })
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
}
