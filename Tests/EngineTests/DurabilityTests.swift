// SPDX-License-Identifier: Apache-2.0
//
// What the session claims, and when, looked at while the engine runs: as after a kill at this moment.

import FaultServer
import Glibc
import Storage
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "durable", size: 3 * 1024 * 1024)
private let middle: Int64 = 1024 * 1024

@Suite struct DurabilityTests {
  @Test func whatIsThereIsClaimedAfterASecond() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).held($0, after: middle, at: "here") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("here"))
    let written = try #require(bench.engine.transfer(id)?.have.ranges)
    #expect(!written.isEmpty)
    for _ in 0..<TransferEngine.beatsBetweenMarks { bench.engine.tick() }
    #expect(bench.wait("it is claimed") { (try? claims(bench, id)) == written })
    bench.web.open("here")
    #expect(bench.waitFinished(id))
  }

  /// All that keeps a byte from being claimed beside the work itself; the disk's time comes on top.
  @Test func noByteWaitsForTwoSecondsUntilItIsClaimed() {
    let beats = Heartbeat.interval * TransferEngine.beatsBetweenMarks
    #expect(SegmentWriter.patience + beats + Recorder.gathering < .seconds(2))
  }

  /// The server no longer takes ranges, so that all begins again in the same file.
  @Test func aNewBeginningWaitsUntilTheOldBytesAreNotClaimed() throws {
    let scratch = Scratch()
    let id = try begin(scratch)
    let bench = try Bench(in: scratch)
    bench.web.answer { asked in
      var served = Served(content)
      served.hasRanges = false
      return served.held(asked, after: 65_536, at: "again")
    }
    bench.engine.resume([id])
    #expect(bench.web.reaches("again"))
    #expect(try claims(bench, id) == [])
    bench.web.open("again")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func aNewBeginningThatWaitsCanBeStopped() throws {
    let scratch = Scratch()
    let id = try begin(scratch)
    let session = try Session.open(directory: scratch.state)
    let recorder = Recorder(session, remembered: try session.load())
    let stopped = CancellationFlag()
    stopped.cancel()
    #expect(!recorder.waitUntilUnclaimed(id, unless: stopped))
  }

  @Test func afterASyncThatFailedNothingIsClaimed() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).held($0, after: middle, at: "here") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("here"))
    bench.engine.diskFailed(id, Failure(.diskFault))
    #expect(bench.engine.snapshot(id)?.transfer.have.isEmpty == true)
    #expect(bench.waitFailed(id)?.kind == .diskFault)
    #expect(try bench.remembered().first?.have.isEmpty == true)
  }

  /// The run has let go of its file, but nobody has synced it yet.
  @Test(arguments: [1000, middle])
  func whatIsFinishedIsSyncedAlsoWhenItsFileIsClosed(size: Int64) throws {
    let bench = try Bench()
    bench.web.answer { Served(Content(size: size)).whole($0) }
    let id = bench.fetch("/file")
    #expect(bench.waitFinished(id))
    let snapshot = try #require(bench.engine.snapshot(id))
    if case .words = snapshot.claim { Issue.record("it is said to be finished without a sync") }
  }

  /// Fetches the first bytes of a file and pauses it; the session claims them.
  private func begin(_ scratch: Scratch) throws -> TransferID {
    let bench = try Bench(in: scratch)
    bench.web.answer { Served(content).held($0, after: middle, at: "here") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("here"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(try bench.remembered().first?.have.ranges == [ByteRange(0, middle)])
    return id
  }

  /// What the session on the disk claims of a transfer now.
  private func claims(_ bench: Bench, _ id: TransferID) throws -> [ByteRange]? {
    try bench.onDisk().transfers.first { $0.id == id }?.have.ranges
  }
}
