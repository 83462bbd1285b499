// SPDX-License-Identifier: Apache-2.0
//
// A digest that differs: the file is fetched once more, what differs is replaced, and if that does
// not help it is kept as bad.

import Connections
import FaultServer
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "repair", size: 2 * Block.length)
private let wrong = 700_000..<700_100 as Range<Int64>

/// An answer with other bytes in the middle, which are other ones each time.
private func damaged(_ asked: Asked, _ version: Int = 2) -> [Act] {
  let served = Served(content)
  let range = served.range(asked)
  let from = min(max(wrong.lowerBound, range.lowerBound), range.upperBound)
  let to = min(max(wrong.upperBound, range.lowerBound), range.upperBound)
  return [
    served.head(asked), .bytes(content, range.lowerBound..<from),
    .bytes(content.version(version), from..<to), .bytes(content, to..<range.upperBound),
  ]
}

extension Bench {
  fileprivate func log(_ id: TransferID) -> [String] { engine.log(of: id).map(\.text) }

  fileprivate func fetchChecked(_ links: [String] = ["http://one.test/file"]) -> TransferID {
    fetch("/file") {
      $0.mirrors = links.map { link($0) }
      $0.checksum = checksum(.sha256, of: content.bytes)
    }
  }

  fileprivate func isChecked(_ id: TransferID) -> Bool {
    guard case .finished(let completion)? = state(id) else { return false }
    return completion.verification == .checked(.sha256) && holds("file", content)
  }
}

@Suite struct RepairTests {
  @Test func theSameLinkIsFetchedOnceMoreAndOnlyWhatDiffersIsWritten() throws {
    let bench = try Bench()
    bench.web.answer { $0.turn == 1 ? damaged($0) : Served(content).whole($0) }
    let id = bench.fetchChecked()
    #expect(bench.waitFinished(id))
    #expect(bench.isChecked(id))
    #expect(bench.web.asked.count == 2)
    #expect(bench.log(id).contains("compared with one.test: 100 bytes in 1 blocks replaced"))
    #expect(bench.log(id).contains("SHA-256 differs, repairing: fetching it once more"))
  }

  @Test func anotherLinkIsAskedFirst() throws {
    let bench = try Bench()
    let bad = Monitor<String?>(nil)
    bench.web.answer { asked in
      let host = asked.request.link.origin.host
      let isShort = Served(content).range(asked).count < 1000
      let isBad = bad.withLock { bad -> Bool in
        if bad == nil, !isShort { bad = host }
        return bad == host
      }
      return isBad ? damaged(asked) : Served(content).whole(asked)
    }
    let id = bench.fetchChecked(["http://one.test/file", "http://two.test/file"])
    #expect(bench.waitFinished(id))
    #expect(bench.isChecked(id))
    let good = bad.withLock { $0 } == "one.test" ? "two.test" : "one.test"
    #expect(bench.log(id).contains("compared with \(good): 100 bytes in 1 blocks replaced"))
  }

  @Test func whereOneLinkHasWhatIsOnDiskTheOtherIsAskedToo() throws {
    let bench = try Bench()
    let full = Monitor<[String]>([])
    bench.web.answer { asked in
      let isShort = Served(content).range(asked).count < 1000
      if isShort { return Served(content).whole(asked) }
      // The one that gives the file is the only one that has it right the second time.
      let host = asked.request.link.origin.host
      let before = full.withLock { full in
        full.append(host)
        return full.dropLast()
      }
      return before.contains(host) ? Served(content).whole(asked) : damaged(asked)
    }
    let id = bench.fetchChecked(["http://one.test/file", "http://two.test/file"])
    #expect(bench.waitFinished(id))
    #expect(bench.isChecked(id))
    let hosts = full.withLock { $0 }
    #expect(hosts.count == 3 && hosts[0] == hosts[2] && hosts[0] != hosts[1], "\(hosts)")
  }

  @Test func afterTwoPassesTheFileIsKeptAsBad() throws {
    let bench = try Bench()
    bench.web.answer { damaged($0, $0.turn + 1) }
    let failure = bench.waitFailed(bench.fetchChecked())
    #expect(failure?.kind == .checksumDiffers)
    #expect(failure?.detail.contains("found") == true)
    #expect(bench.web.asked.count == 3)
    #expect(bench.scratch.names == ["file.bad"])
  }

  @Test func aSourceThatSendsTheSameBytesIsNotAskedAgain() throws {
    let bench = try Bench()
    bench.web.answer { damaged($0) }
    #expect(bench.waitFailed(bench.fetchChecked())?.kind == .checksumDiffers)
    #expect(bench.web.asked.count == 2)
    #expect(bench.scratch.names == ["file.bad"])
  }

  @Test func anAnswerThatBreaksIsGoneOnWith() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      switch asked.turn {
      case 1: damaged(asked)
      case 2: Served(content).cut(asked, after: 200_000)
      default: Served(content).whole(asked)
      }
    }
    let id = bench.fetchChecked()
    #expect(bench.waitFinished(id))
    #expect(bench.isChecked(id))
    #expect(bench.web.asked.last?.start == 200_000)
  }

  @Test func aPageInPlaceOfTheFileReplacesNothing() throws {
    let bench = try Bench()
    let page = Content(key: "page", size: 3000)
    bench.web.answer { $0.turn == 1 ? damaged($0) : Served(page).whole($0) }
    #expect(bench.waitFailed(bench.fetchChecked())?.kind == .checksumDiffers)
    #expect(bench.file("file.bad")?.count == Int(content.size))
  }

  @Test func aPauseInTheMiddleKeepsEverything() throws {
    let bench = try Bench()
    bench.web.answer {
      $0.turn == 1 ? damaged($0) : Served(content).held($0, after: 800_000, at: "repairing")
    }
    let id = bench.fetchChecked()
    #expect(bench.web.reaches("repairing"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.engine.transfer(id)?.received == ByteCount(content.size))
    #expect(bench.scratch.names == ["file.part"])
    bench.web.open("repairing")
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.isChecked(id))
    // What differed had been replaced before the pause.
    #expect(bench.web.asked.count == 2)
  }

  @Test func aProcessThatEndsInTheMiddleIsCarriedOn() throws {
    let scratch = Scratch()
    let id = try {
      let bench = try Bench(in: scratch)
      bench.web.answer {
        $0.turn == 1 ? damaged($0) : Served(content).held($0, after: 10_000, at: "repairing")
      }
      let id = bench.fetchChecked()
      #expect(bench.web.reaches("repairing"))
      bench.shutDown()
      return id
    }()
    let again = try Bench(in: scratch)
    #expect(again.engine.transfer(id)?.received == ByteCount(content.size))
    again.web.answer { Served(content).whole($0) }
    again.engine.start([id])
    #expect(again.waitFinished(id))
    #expect(again.isChecked(id))
    #expect(again.log(id).contains("compared with one.test: 100 bytes in 1 blocks replaced"))
    #expect(again.web.asked.map(\.start) == [10_000])
  }

  @Test func passesAreCountedHoweverOftenTheProgramBeginsAnew() throws {
    let scratch = Scratch()
    let id = try {
      let bench = try Bench(in: scratch)
      bench.web.answer { asked in
        let all = damaged(asked, asked.turn + 1)
        return asked.turn < 3 ? all : all.prefix(1) + [.hold("second pass")] + all.dropFirst()
      }
      let id = bench.fetchChecked()
      #expect(bench.web.reaches("second pass"))
      bench.shutDown()
      return id
    }()
    for turn in 0..<2 {
      let again = try Bench(in: scratch)
      again.web.answer { asked in
        let rest = Array(damaged(asked, 10 + turn))
        return turn == 0 ? rest.prefix(2) + [.hold("second pass")] + rest.dropFirst(2) : rest
      }
      again.engine.start([id])
      guard turn == 0 else {
        #expect(again.waitFailed(id)?.kind == .checksumDiffers)
        #expect(again.web.asked.map(\.start) == [700_000])
        break
      }
      #expect(again.web.reaches("second pass"))
      again.shutDown()
    }
    #expect(scratch.names == ["file.bad"])
  }
}
