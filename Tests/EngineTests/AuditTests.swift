// SPDX-License-Identifier: Apache-2.0
//
// A partial file that was damaged, cut or replaced while nobody looked: the blocks that are bad are
// fetched again, and nothing else.

import Connections
import FaultServer
import Glibc
import Storage
import Testing
import Transfers
import Workers

@testable import Engine

private let mebi = Block.length
private let content = Content(key: "audit", size: 5 * mebi + 12_345)
private let middle = 3 * mebi + 512 * 1024
private let rest = content.size - middle

/// A partial file that an engine left, and another engine that finds it.
private struct Left {
  let scratch = Scratch()
  let id: TransferID
  /// Without validators every join needs an overlap.
  let hasTag: Bool

  /// Fetches up to the middle, and ends.
  init(hasTag: Bool = true, _ change: (inout TransferRequest) -> Void = { _ in }) throws {
    self.hasTag = hasTag
    let bench = try Bench(in: scratch)
    let served = Self.served(hasTag)
    bench.web.answer { served.held($0, after: middle, at: "middle") }
    id = bench.fetch("/file", change)
    #expect(bench.web.reaches("middle"))
    bench.shutDown()
    #expect(bench.engine.transfer(id)?.received == ByteCount(middle))
  }

  static func served(_ hasTag: Bool) -> Served {
    var served = Served(content)
    if !hasTag { served.tag = nil }
    return served
  }

  var part: String { scratch.files + "/file.part" }

  /// Writes over some bytes of the partial file.
  func damage(_ range: Range<Int64>, in path: String? = nil) {
    let file = open(path ?? part, O_WRONLY)
    defer { close(file) }
    let zeros = [UInt8](repeating: 0, count: range.count)
    #expect(pwrite(file, zeros, zeros.count, Int(range.lowerBound)) == zeros.count)
  }

  /// Goes on to the end.
  func goOn() throws -> Bench {
    let bench = try Bench(in: scratch)
    let served = Self.served(hasTag)
    bench.web.answer { served.whole($0) }
    bench.engine.start([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content), "\(bench.log(id))")
    #expect(!bench.log(id).contains { $0.hasPrefix("starting over") }, "\(bench.log(id))")
    return bench
  }
}

extension Bench {
  fileprivate func log(_ id: TransferID) -> [String] { engine.log(of: id).map(\.text) }

  /// The bytes that were asked for.
  fileprivate var asked: ByteRangeSet {
    ByteRangeSet(
      web.asked.map {
        let range = $0.range(in: content.size)
        return ByteRange(range.lowerBound, range.upperBound)
      }
    )
  }

  /// How many bytes were asked for, those asked for twice counted twice.
  fileprivate var askedCount: Int64 {
    web.asked.reduce(0) { $0 + Int64($1.range(in: content.size).count) }
  }
}

private func damaged(_ wrong: Int, of all: Int, _ bytes: Int64) -> String {
  "damaged on disk: \(wrong) of \(all) blocks, \(bytes) bytes are fetched again"
}

@Suite struct AuditTests {
  @Test func whatIsUnharmedIsNotFetchedAgain() throws {
    let left = try Left()
    let bench = try left.goOn()
    #expect(bench.asked == ByteRangeSet([ByteRange(middle, content.size)]))
    #expect(bench.log(left.id).contains("the bytes on disk are those that were left: 4 blocks"))
  }

  @Test(arguments: [0, 1, 2] as [Int64])
  func oneBadByteCostsItsBlock(number: Int64) throws {
    let left = try Left()
    left.damage(number * mebi + 77..<number * mebi + 78)
    let bench = try left.goOn()
    #expect(bench.askedCount == mebi + rest)
    #expect(
      bench.asked
        == ByteRangeSet([
          ByteRange(number * mebi, (number + 1) * mebi), ByteRange(middle, content.size),
        ])
    )
    #expect(bench.log(left.id).contains(damaged(1, of: 4, mebi)))
  }

  @Test func aFileThatWasCutIsFetchedFromThatBlockOn() throws {
    let left = try Left()
    truncateFile(left.part, to: Int(2 * mebi + 1000))
    let bench = try left.goOn()
    // The block with the cut may be whole again, or half so, before it is looked at.
    let first = try #require(bench.asked.ranges.first?.lower)
    #expect([2 * mebi, 2 * mebi + 1000].contains(first))
    #expect(bench.asked == ByteRangeSet([ByteRange(first, content.size)]))
    #expect(bench.askedCount <= content.size - first + mebi)
  }

  @Test func aHoleIsFilled() throws {
    let left = try Left()
    left.damage(mebi / 2..<mebi + mebi / 2)
    let bench = try left.goOn()
    #expect(bench.askedCount == 2 * mebi + rest)
    #expect(bench.log(left.id).contains(damaged(2, of: 4, 2 * mebi)))
  }

  @Test(arguments: [true, false])
  func aDamagedEdgeIsNoReasonToBeginAgain(hasTag: Bool) throws {
    let left = try Left(hasTag: hasTag)
    left.damage(middle - 10..<middle)
    let bench = try left.goOn()
    #expect(bench.asked.contains(ByteRange(3 * mebi, content.size)))
    #expect(!bench.asked.touches(ByteRange(0, 3 * mebi - OverlapProof.length)))
  }

  @Test func damageAtTheStartNeedsNoNewStartWhereNothingButBytesProves() throws {
    let left = try Left(hasTag: false)
    left.damage(0..<10)
    let bench = try left.goOn()
    #expect(!bench.asked.touches(ByteRange(mebi, middle - OverlapProof.length)))
  }

  @Test func anotherFileOnTheServerIsStillFoundOutWhereNothingButBytesProves() throws {
    let left = try Left(hasTag: false)
    left.damage(0..<10)
    let bench = try Bench(in: left.scratch)
    var served = Served(content.version(2))
    served.tag = nil
    bench.web.answer { [served] in served.whole($0) }
    bench.engine.start([left.id])
    #expect(bench.waitFinished(left.id))
    #expect(bench.holds("file", content.version(2)))
  }

  @Test(arguments: [0, 1, 3] as [Int64])
  func aDigestThatRunsAlongSeesTheBytesThatAreFetchedAgain(number: Int64) throws {
    let left = try Left { $0.checksum = checksum(.sha256, of: content.bytes) }
    left.damage(number * mebi + 5..<number * mebi + 500)
    let bench = try left.goOn()
    guard case .finished(let completion)? = bench.state(left.id) else { return }
    #expect(completion.verification == .checked(.sha256))
  }

  @Test func aCopyInItsPlaceIsGoneOnWith() throws {
    let left = try Left()
    let bytes = try #require(contents(left.part))
    writeFile(bytes, to: left.part + ".new")
    left.damage(mebi..<mebi + 1, in: left.part + ".new")
    #expect(rename(left.part + ".new", left.part) == 0)
    let bench = try left.goOn()
    #expect(bench.askedCount == mebi + rest)
    #expect(bench.scratch.names == ["file"])
  }

  @Test func aForeignFileInItsPlaceIsLeftAlone() throws {
    let left = try Left()
    let foreign = [UInt8](repeating: 9, count: Int(middle))
    writeFile(foreign, to: left.part + ".new")
    #expect(rename(left.part + ".new", left.part) == 0)
    let bench = try Bench(in: left.scratch)
    bench.web.answer { Served(content).whole($0) }
    bench.engine.start([left.id])
    #expect(bench.waitFinished(left.id))
    let kept = bench.file("file.part") == foreign
    #expect(kept)
    #expect(bench.scratch.names.count == 2)
    #expect(bench.log(left.id).contains { $0.hasPrefix("starting over: partial file gone") })
  }

  @Test func whatIsFinishedHasNoBlocksInTheSession() throws {
    let left = try Left()
    do {
      let session = try Session.open(directory: left.scratch.state)
      let blocks = try #require(try session.blocks()[left.id])
      #expect(blocks.blocks.map(\.range) == ByteRangeSet([ByteRange(0, middle)]).blockRanges)
    }
    let bench = try left.goOn()
    bench.shutDown()
    #expect(try Session.open(directory: left.scratch.state).blocks().isEmpty)
  }

  @Test(arguments: [true, false])
  func aPauseNeedsNoAuditUnlessTheFileWasTouched(isTouched: Bool) throws {
    let bench = try Bench()
    bench.web.answer { Served(content).held($0, after: middle, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    if isTouched {
      // The recorder hashes what was left before anybody touches it.
      #expect(bench.wait("the session has its blocks") { bench.engine.knownBlocks(id) == 4 })
      truncateFile(bench.scratch.files + "/file.part", to: Int(2 * mebi + 1000))
    }
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(bench.log(id).contains { $0.contains("on disk") } == isTouched)
  }

  @Test func aBlockThatIsWrittenDuringTheDownloadIsHashedOnce() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).held($0, after: middle, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    for _ in 0..<4 { bench.engine.tick() }
    #expect(bench.wait("the session has its blocks") { bench.engine.knownBlocks(id) == 4 })
    bench.web.open("middle")
    #expect(bench.waitFinished(id))
    #expect(bench.wait("the session has none") { bench.engine.knownBlocks(id) == 0 })
  }
}

extension TransferEngine {
  /// How many blocks of a transfer have a hash that the session knows.
  fileprivate func knownBlocks(_ id: TransferID) -> Int {
    guard let ledger = table.withLock({ $0.entries[id]?.ledger }),
      ledger.unstored().changes.isEmpty
    else { return -1 }
    return ledger.blocks.blocks.count
  }
}

private func writeFile(_ bytes: [UInt8], to path: String) {
  let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
  defer { close(file) }
  #expect(write(file, bytes, bytes.count) == bytes.count)
}
