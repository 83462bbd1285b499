// SPDX-License-Identifier: Apache-2.0
//
// PieceTests: what digests of pieces and a size that was told beforehand are good for.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let pieceLength: Int64 = 256 * 1024
private let content = Content(key: "pieces", size: 6 * pieceLength + 100)
/// The fifth piece, which no block that is compared touches.
private let damaged = 4 * pieceLength..<5 * pieceLength

private let digests = PieceDigests(
  algorithm: .sha1,
  length: pieceLength,
  digests: stride(from: 0, to: content.size, by: Int(pieceLength)).flatMap { start in
    let range = Int64(start)..<min(Int64(start) + pieceLength, content.size)
    return checksum(.sha1, of: content.bytes(range)).digest
  }
)

/// An exchange whose fifth piece has other bytes.
private func spoilt(_ asked: Asked) -> [Act] {
  let all = Served(content).range(asked)
  let bad = damaged.clamped(to: all)
  return [
    Served(content).head(asked), .bytes(content, all.lowerBound..<bad.lowerBound),
    .bytes(content.version(2), bad), .bytes(content, bad.upperBound..<all.upperBound),
  ]
}

extension ByteRange {
  fileprivate init(_ range: Range<Int64>) {
    self.init(range.lowerBound, range.upperBound)
  }
}

/// The same, standing still in the sixth piece.
private func stopping(_ asked: Asked) -> [Act] {
  let all = Served(content).range(asked)
  let middle = min(damaged.upperBound + pieceLength / 2, all.upperBound)
  let bad = damaged.clamped(to: all)
  return [
    Served(content).head(asked), .bytes(content, all.lowerBound..<bad.lowerBound),
    .bytes(content.version(2), bad), .bytes(content, bad.upperBound..<middle), .hold("never"),
  ]
}

@Suite struct PieceTests {
  private func fetch(_ bench: Bench, mirrors: [String] = ["http://one.test/f"]) -> TransferID {
    bench.fetch("/f") { request in
      request.mirrors = mirrors.map(link)
      request.size = ByteCount(content.size)
      request.pieces = digests
    }
  }

  private func verification(_ bench: Bench, _ id: TransferID) -> Verification? {
    guard case .finished(let completion)? = bench.state(id) else { return nil }
    return completion.verification
  }

  @Test func piecesThatAllAgreeSayAsMuchAsADigest() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).whole($0) }
    let id = fetch(bench)
    #expect(bench.waitFinished(id))
    #expect(verification(bench, id) == .checked(.sha1))
    #expect(bench.web.asked.count == 1)
  }

  @Test func aWrongPieceIsFetchedAgainAlone() throws {
    let bench = try Bench()
    bench.web.answer { $0.turn == 1 ? spoilt($0) : Served(content).whole($0) }
    let id = fetch(bench)
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    let again = bench.web.asked.dropFirst().map { $0.range(in: content.size) }
    #expect(again == [damaged])
  }

  @Test func aWrongPieceComesFromAnotherSource() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.request.link.origin.host == "one.test" ? spoilt(asked) : Served(content).whole(asked)
    }
    let id = bench.fetch("/f") { request in
      request.mirrors = [link("http://one.test/f"), link("http://two.test/f")]
      request.size = ByteCount(content.size)
      request.pieces = digests
    }
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(verification(bench, id) == .checked(.sha1))
  }

  @Test func aWrongPieceIsFoundWhileTheRestHasStillToCome() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      if asked.range(in: content.size) == 0..<1 {
        let isFirst = asked.request.link.origin.host == "one.test"
        return isFirst ? Served(content).whole(asked) : [.hold("never")]
      }
      let isSecond = asked.request.link.origin.host == "two.test"
      return isSecond ? Served(content).whole(asked) : stopping(asked)
    }
    let id = fetch(bench, mirrors: ["http://one.test/f", "http://two.test/f"])
    // The first is never let go on: its place is taken as soon as the piece has been looked at.
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(verification(bench, id) == .checked(.sha1))
  }

  @Test func aWrongPieceIsTheFirstToComeAfterAPause() throws {
    let bench = try Bench()
    bench.web.answer { stopping($0) }
    let id = fetch(bench)
    #expect(
      bench.wait("it is found out") {
        bench.engine.log(of: id).contains { $0.text.contains("a piece differs") }
      }
    )
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.engine.transfer(id)?.have.touches(ByteRange(damaged)) == false)
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    let asked = bench.web.asked.dropFirst().map { $0.range(in: content.size) }
    #expect(asked.first == damaged)
  }

  @Test func aPieceThatStaysWrongIsNotCalledDone() throws {
    let bench = try Bench()
    bench.web.answer { spoilt($0) }
    let id = fetch(bench)
    let failure = try #require(bench.waitFailed(id))
    #expect(failure.kind == .checksumDiffers)
    #expect(failure.detail.contains("1 of 7 pieces"))
    #expect(bench.scratch.names == ["f.bad"])
    #expect(bench.web.asked.count == 4)
  }

  @Test func aFileOfAnotherSizeIsNotTaken() throws {
    let bench = try Bench()
    bench.web.answer { Served(Content(size: 1000)).whole($0) }
    let id = bench.fetch("/f") { $0.size = ByteCount(1001) }
    let failure = try #require(bench.waitFailed(id))
    #expect(failure.kind == .notTheFile)
    #expect(failure.detail == "1000 bytes where the list says 1001")
    #expect(bench.scratch.names.isEmpty)
  }

  @Test func aStreamOfAnotherSizeIsNotTakenEither() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      var served = Served(Content(size: 1000))
      (served.hasRanges, served.hasLength) = (false, false)
      return served.whole(asked)
    }
    let id = bench.fetch("/f") { $0.size = ByteCount(1001) }
    #expect(bench.waitFailed(id)?.kind == .notTheFile)
  }
}
