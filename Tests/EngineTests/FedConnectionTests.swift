// SPDX-License-Identifier: Apache-2.0
//
// A slow limit keeps few connections fed: no more are open, whatever was asked for.

import Connections
import FaultServer
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "fed", size: 64 * SegmentPlan.smallest)

private func at(_ seconds: Double) -> Moment {
  Moment(nanoseconds: 0) + .seconds(seconds)
}

@Suite struct FedConnectionTests {
  /// A file over eight connections, of which each has its head and no byte yet.
  private func held(_ bench: Bench, at rate: ByteRate?) -> TransferID {
    bench.web.answer { Served(content).held($0, after: 0, at: "start") }
    return bench.fetch("/f") {
      $0.connections = .fixed(8)
      $0.rateLimit = rate
    }
  }

  private func workers(_ bench: Bench, _ id: TransferID) -> Int? {
    bench.engine.table.withLock { $0.entries[id]?.run }?.core.withLock { $0.workers }
  }

  @Test(arguments: [(10_000, 1), (65_535, 1), (100_000, 3), (1_000_000, 8)])
  func noMoreConnectionsAreOpenedThanALimitKeepsFed(rate: Int64, count: Int) throws {
    for isShared in [false, true] {
      let bench = try Bench(Web())
      bench.engine.rateLimit = Timetable(isShared ? ByteRate(rate) : 50_000_000)
      let id = held(bench, at: isShared ? nil : ByteRate(rate))
      #expect(bench.web.reaches("start") && bench.web.waitForRequests(count))
      bench.engine.tick()
      #expect(workers(bench, id) == count)
      #expect(bench.web.asked.count == count)
      bench.engine.rateLimit = nil
      bench.engine.limit([id], to: nil)
      bench.web.open("start")
      #expect(bench.waitFinished(id))
      #expect(bench.holds("f", content))
    }
  }

  @Test func aHigherLimitOpensMoreAndALowerOneEndsTheYoungest() throws {
    let bench = try Bench(Web())
    let id = held(bench, at: 10_000)
    #expect(bench.web.reaches("start"))
    bench.engine.limit([id], to: 1_000_000)
    bench.engine.tick()
    #expect(bench.web.waitUntilRunning(8))
    bench.engine.limit([id], to: 100_000)
    bench.engine.tick()
    #expect(bench.web.waitUntilRunning(3))
    #expect(bench.web.asked.count == 8)
    bench.engine.limit([id], to: nil)
    bench.web.open("start")
    bench.engine.tick()
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
  }

  @Test func theYoungestAreSurplusAndTheFirstStays() {
    var core = playedCore()
    _ = core.open(at: at(0))
    for (fed, surplus) in [(4, 0), (3, 1), (1, 3), (0, 3)] {
      core.fed = fed
      #expect(core.surplus(over: HostGrants()).count == surplus)
    }
    core.fed = 2
    core.live[1]?.connection = nil
    // What is given out and has no connection yet keeps its place; 3 and 2 are the youngest.
    #expect(core.surplus(over: HostGrants()).count == 2)
  }

  @Test func whoIsSurplusLeavesAndComesBackWhenTheLimitIsRaised() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    core.fed = 2
    for number in [3, 2] {
      guard let job = jobs[number] else { continue }
      _ = core.settle(number, job, .stopped, at: at(1), jitter: 0)
      if case .leave = core.step(number, at: at(1)) {} else { Issue.record("it stays") }
      core.workers -= 1
    }
    #expect(core.room(at: at(1)).isEmpty)
    core.fed = 3
    #expect(core.room(at: at(2)).count == 1)
    core.fed = .max
    #expect(core.room(at: at(3)).count == 1)
  }

  @Test func anAdaptiveTransferGrowsNoFurtherThanTheLimitFeeds() {
    var core = playedCore(connections: .adaptive)
    _ = core.open(at: at(0))
    core.fed = 1
    #expect(core.grow(at: at(0)).isEmpty)
    core.take(0, 100_000, at: at(1))
    #expect(core.grow(at: at(1)).isEmpty && core.allowed == 1)
    core.fed = 2
    #expect(core.grow(at: at(2)).isEmpty)
    core.take(0, 100_000, at: at(3))
    #expect(core.grow(at: at(3)).count == 1)
  }
}
