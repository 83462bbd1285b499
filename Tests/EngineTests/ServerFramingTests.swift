// SPDX-License-Identifier: Apache-2.0
//
// Answers whose length is coded, cut, broken or unknown, with real connections.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = siteContent
private let cutAt = siteCut

@Suite struct ServerFramingTests {
  @Test func aCodingThatWasNotAskedForIsUndone() throws {
    let site = try Site()
    site.server.on("/file", .file(content) { $0.isCompressed = true })
    let id = site.fetch(connections: 4)
    #expect(site.isFinished(id))
    #expect(site.bench.holds("file", content))
    let coding = site.server.requests("/file").first?.header("Accept-Encoding")
    #expect(coding == nil || coding == "identity")
  }

  @Test func aCodedFileWithRangesIsFetchedWithout() throws {
    let site = try Site()
    site.server.on("/file") { request in
      guard request.header("Range") != nil else {
        return .file(content) { $0.isCompressed = true }
      }
      return .file(content) { $0.add("Content-Encoding: gzip") }
    }
    let id = site.fetch()
    #expect(site.isFinished(id))
    #expect(site.bench.holds("file", content))
    #expect(site.server.requests("/file").count == 2)
  }

  @Test(arguments: [1, 4])
  func theFirstPartOfAnUnknownLengthIsNotTheFile(connections: Int) throws {
    let site = try Site()
    site.server.on("/file") { request in
      guard request.header("Range") != nil else { return .file(content) }
      return .raw { _, socket in
        socket.send("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-999/*\r\n")
        socket.send("Content-Length: 1000\r\n\r\n")
        socket.send(content.bytes(0..<1000))
      }
    }
    let id = site.fetch(connections: connections)
    #expect(site.isFinished(id))
    #expect(site.bench.holds("file", content))
  }

  @Test func aFileOfTwoLengthsIsNotDone() throws {
    let site = try Site()
    site.server.on(
      "/file",
      .raw { _, socket in
        socket.send("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\nContent-Length: 100\r\n\r\n")
        socket.send(content.bytes(0..<5000))
      }
    )
    let id = site.fetch()
    #expect(site.failure(id)?.kind == .badAnswer)
    #expect(site.server.requests("/file").count == 1)
    #expect(site.bench.scratch.names.isEmpty)
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
}
