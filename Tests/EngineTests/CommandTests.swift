// SPDX-License-Identifier: Apache-2.0
//
// Pause, resume, remove and shut down, at every point of a transfer's life.

import Chance
import Connections
import FaultServer
import Glibc
import Storage
import Synchronization
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "command", size: 3 * 1024 * 1024)
private let middle: Int64 = 1024 * 1024

/// Where a transfer stands when a command hits it.
enum Point: String, CaseIterable, Sendable {
  case queued, connecting, answered, inTheMiddle, waitingForRetry

  /// The first exchange of a transfer that gets to this point and stays there.
  func script(_ asked: Asked) -> [Act] {
    let served = Served(content)
    switch self {
    case .queued, .connecting: return [.hold("here")] + served.whole(asked)
    case .answered: return served.held(asked, after: 0, at: "here")
    case .inTheMiddle: return served.held(asked, after: middle, at: "here")
    case .waitingForRetry: return served.cut(asked, after: middle)
    }
  }

  /// Brings a transfer to this point.
  func reach(_ bench: Bench) -> TransferID {
    bench.web.answer { [self] in script($0) }
    if self == .queued {
      let first = bench.fetch("/first")
      _ = bench.web.reaches("here")
      _ = first
      return bench.fetch("/file")
    }
    let id = bench.fetch("/file")
    if self == .waitingForRetry {
      _ = bench.waitForRetry(id)
    } else {
      _ = bench.web.reaches("here")
    }
    return id
  }

  /// The bytes that are kept.
  var kept: Int64 {
    switch self {
    case .queued, .connecting, .answered: 0
    case .inTheMiddle, .waitingForRetry: middle
    }
  }
}

@Suite struct CommandTests {
  @Test(arguments: Point.allCases)
  func aPauseKeepsWhatIsThere(point: Point) throws {
    let bench = try Bench(jobs: 1)
    let id = point.reach(bench)
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.engine.transfer(id)?.received == ByteCount(point.kept))
    bench.web.answer { Served(content).whole($0) }
    bench.web.open("here")
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    if point.kept > 0 { #expect(bench.web.asked.last?.start == point.kept) }
    #expect(!bench.scratch.names.contains { $0.hasPrefix("file (") })
  }

  @Test(arguments: Point.allCases)
  func aResumeRightAfterAPauseGoesOn(point: Point) throws {
    let bench = try Bench(jobs: 1)
    let id = point.reach(bench)
    for _ in 0..<5 {
      bench.engine.pause([id])
      bench.engine.resume([id])
    }
    bench.web.answer { Served(content).whole($0) }
    bench.web.open("here")
    // One of the runs may still have met the first answer, and waits.
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    #expect(!bench.scratch.names.contains { $0.hasPrefix("file (") })
  }

  @Test(arguments: Point.allCases, [true, false])
  func aRemovedTransferIsGoneWithItsFiles(point: Point, deleteFiles: Bool) throws {
    let bench = try Bench(jobs: 1)
    let id = point.reach(bench)
    bench.engine.remove([id], deleteFiles: deleteFiles)
    #expect(bench.engine.transfer(id) == nil)
    bench.web.open("here")
    let left = try bench.remembered()
    #expect(!left.contains { $0.id == id })
    if deleteFiles || point == .queued || point == .connecting {
      #expect(!bench.scratch.names.contains { $0.hasPrefix("file") })
    }
    if !deleteFiles, point.kept > 0 { #expect(bench.scratch.names.contains("file.part")) }
  }

  @Test(arguments: Point.allCases)
  func aShutDownKeepsStateAndRanges(point: Point) throws {
    let scratch = Scratch()
    let id = try {
      let bench = try Bench(in: scratch, jobs: 1)
      let id = point.reach(bench)
      bench.shutDown()
      #expect(bench.web.running == 0)
      return id
    }()
    let again = try Bench(in: scratch)
    #expect(again.state(id) == .queued)
    #expect(again.engine.transfer(id)?.received == ByteCount(point.kept))
    again.web.answer { Served(content).whole($0) }
    again.engine.start([id])
    #expect(again.waitFinished(id))
    #expect(again.holds("file", content))
    if point.kept > 0 { #expect(again.web.asked.map(\.start) == [point.kept]) }
  }

  @Test(arguments: [true, false])
  func aFinishedTransferIsRemovedWithItsFileWhenAsked(deleteFiles: Bool) throws {
    let bench = try Bench()
    bench.web.answer { Served(content).whole($0) }
    let id = bench.fetch("/file")
    #expect(bench.waitFinished(id))
    bench.engine.remove([id], deleteFiles: deleteFiles)
    #expect(try bench.remembered().isEmpty)
    #expect(bench.holds("file", content) == !deleteFiles)
    #expect(bench.scratch.names.isEmpty == deleteFiles)
  }

  @Test func aPausedTransferStaysPausedOverAShutDown() throws {
    let scratch = Scratch()
    let bench = try Bench(in: scratch)
    let id = Point.inTheMiddle.reach(bench)
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    let left = try bench.remembered()
    #expect(left.first?.state == .paused(.byUser))
    #expect(left.first?.received == ByteCount(middle))
  }

  @Test func aShutDownDoesNotWaitForTheQueue() throws {
    let bench = try Bench(jobs: 1)
    bench.web.answer { Served(content).held($0, after: middle, at: "here") }
    let ids = bench.engine.add((0..<20).map { bench.request("/file\($0)") })
    bench.engine.start(ids)
    #expect(bench.web.reaches("here"))
    bench.shutDown()
    #expect(bench.web.running == 0)
  }

  @Test func severalConnectionsAreAllCancelledByAPause() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).held($0, after: 65_536, at: "here") }
    let id = bench.fetch("/file") { $0.connections = .fixed(4) }
    #expect(bench.wait("four are under way") { bench.web.running == 4 })
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.web.running == 0)
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func aNewLinkContinuesOnlyWhatItProves() throws {
    for version in [1, 2] {
      let bench = try Bench()
      bench.web.answer { Served(content).held($0, after: middle, at: "here") }
      let id = bench.fetch("/file")
      #expect(bench.web.reaches("here"))
      bench.engine.pause([id])
      #expect(bench.waitPaused(id))
      bench.web.answer { Served(content.version(version)).whole($0) }
      var request = bench.request("/elsewhere")
      request.name = "file"
      bench.engine.renew(id, request)
      bench.engine.start([id])
      #expect(bench.pump(id))
      #expect(bench.holds("file", content.version(version)))
    }
  }

  @Test func commandsFromManyThreadsLeaveNothingHanging() throws {
    let bench = try Bench(jobs: 3)
    bench.web.answer { asked in
      asked.turn % 3 == 0
        ? Served(content).cut(asked, after: middle) : Served(content).whole(asked)
    }
    let ids = bench.engine.add((0..<6).map { bench.request("/file\($0)") })
    bench.engine.start(ids)
    let threads = try (0..<3).map { seed in
      try WorkerThread.start(name: "user") {
        var generator = SplitMix(seed: UInt64(seed))
        for _ in 0..<60 {
          let id = ids[Int.random(in: 0..<ids.count, using: &generator)]
          if Bool.random(using: &generator) {
            bench.engine.pause([id])
          } else {
            bench.engine.resume([id])
          }
        }
      }
    }
    for thread in threads { thread.join() }
    bench.engine.resume(ids)
    for id in ids {
      #expect(bench.pump(id))
      #expect(bench.state(id)?.isFinished == true)
    }
    for number in 0..<6 { #expect(bench.holds("file\(number)", content)) }
  }
}
