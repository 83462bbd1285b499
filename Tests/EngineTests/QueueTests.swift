// SPDX-License-Identifier: Apache-2.0
//
// Many transfers: the limit, batches, lent places, what the session holds.

import Connections
import FaultServer
import Storage
import Synchronization
import Testing
import Transfers
import Workers

@testable import Engine

private let small = Content(key: "queue", size: 4096)

/// Counts calls of a batch's end.
private final class Calls: Sendable {
  private let count = Monitor(0)

  func call() { count.withLock { $0 += 1 } }
  var number: Int { count.withLock { $0 } }
  func wait() -> Bool { count.wait(for: deadline) { $0 > 0 ? true : nil } ?? false }
}

@Suite struct QueueTests {
  @Test func twoHundredTransfersAreAllDone() throws {
    let bench = try Bench(jobs: 8)
    bench.web.answer { Served(small).whole($0) }
    let ids = bench.engine.add((0..<200).map { bench.request("/file\($0)") })
    let calls = Calls()
    bench.engine.start(ids) { calls.call() }
    #expect(calls.wait())
    #expect(bench.engine.all().allSatisfy { $0.state.isFinished })
    #expect(bench.engine.all().map(\.id) == ids)
    #expect(bench.scratch.names.count == 200)
    let remembered = try bench.remembered()
    #expect(remembered == bench.engine.all())
    #expect(calls.number == 1)
  }

  @Test func noMoreRunAtOnceThanAllowed() throws {
    let bench = try Bench(jobs: 3)
    bench.web.answer { Served(small).held($0, after: 10, at: "here") }
    let ids = bench.engine.add((0..<9).map { bench.request("/file\($0)") })
    bench.engine.start(ids)
    #expect(bench.wait("three run") { bench.web.running == 3 })
    bench.engine.tick()
    #expect(bench.web.running == 3)
    #expect(bench.engine.all().filter { $0.state == .queued }.count == 6)
    bench.web.open("here")
    for id in ids { #expect(bench.waitFinished(id)) }
  }

  @Test func aTransferThatWaitsLendsItsPlace() throws {
    let bench = try Bench(jobs: 1)
    bench.web.answer { asked in
      asked.path == "/busy" ? [.head(503, [])] : Served(small).whole(asked)
    }
    let ids = bench.engine.add([bench.request("/busy"), bench.request("/good")])
    bench.engine.start(ids)
    #expect(bench.waitFinished(ids[1]))
    #expect(bench.waitForRetry(ids[0]) != nil)
  }

  @Test func aBatchEndsOnceHoweverItsTransfersEnd() throws {
    let bench = try Bench(jobs: 4)
    bench.web.answer { asked in
      switch asked.path {
      case "/good": Served(small).whole(asked)
      case "/bad": [.head(404, [])]
      default: Served(small).held(asked, after: 10, at: "never")
      }
    }
    let paths = ["/good", "/bad", "/paused", "/removed"]
    let ids = bench.engine.add(paths.map { bench.request($0) })
    let calls = Calls()
    bench.engine.start(ids) { calls.call() }
    #expect(bench.web.waitForRequests(4))
    #expect(calls.number == 0)
    bench.engine.pause([ids[2]])
    bench.engine.remove([ids[3]], deleteFiles: true)
    #expect(calls.wait())
    bench.shutDown()
    #expect(calls.number == 1)
  }

  @Test func aBatchOfNothingEndsToo() throws {
    let bench = try Bench()
    let calls = Calls()
    bench.engine.start([TransferID(77)]) { calls.call() }
    #expect(calls.wait())
    bench.shutDown()
    #expect(calls.number == 1)
  }

  @Test func aBatchThatIsPausedBeforeItsTurnEnds() throws {
    let bench = try Bench(jobs: 1)
    bench.web.answer { Served(small).held($0, after: 10, at: "never") }
    let first = bench.fetch("/first")
    #expect(bench.web.reaches("never"))
    let ids = bench.engine.add([bench.request("/a"), bench.request("/b")])
    let calls = Calls()
    bench.engine.start(ids) { calls.call() }
    bench.engine.pause(ids)
    bench.engine.pause([first])
    #expect(calls.wait())
  }

  @Test func aBatchEndsWithTheEngine() throws {
    let bench = try Bench(jobs: 1)
    bench.web.answer { Served(small).held($0, after: 10, at: "never") }
    let ids = bench.engine.add((0..<3).map { bench.request("/file\($0)") })
    let calls = Calls()
    bench.engine.start(ids) { calls.call() }
    #expect(bench.web.reaches("never"))
    bench.shutDown()
    #expect(calls.number == 1)
  }

  @Test func theSessionEqualsTheEngineAfterEveryKindOfEnd() throws {
    let bench = try Bench(jobs: 8)
    bench.web.answer { asked in
      switch asked.path {
      case "/bad": [.head(404, [])]
      case "/broken": Served(small).cut(asked, after: 1000)
      case "/held": Served(small).held(asked, after: 2000, at: "never")
      default: Served(small).whole(asked)
      }
    }
    let paths = ["/good", "/bad", "/broken", "/held"]
    let ids = bench.engine.add(paths.map { bench.request($0) })
    bench.engine.start(ids)
    #expect(bench.waitFinished(ids[0]))
    #expect(bench.waitFailed(ids[1]) != nil)
    #expect(bench.waitForRetry(ids[2]) != nil)
    #expect(bench.web.reaches("never"))
    bench.engine.pause([ids[3]])
    #expect(bench.waitPaused(ids[3]))
    let left = try bench.remembered()
    for (row, transfer) in zip(left, bench.engine.all()) {
      #expect(row.have == transfer.have)
      #expect(row.answer == transfer.answer)
      #expect(row.file == transfer.file)
      #expect(row.request == transfer.request)
      #expect(row.state == (transfer.state.isActive ? .queued : transfer.state))
    }
    #expect(left[2].have.ranges == [ByteRange(0, 1000)])
    #expect(left[3].have.ranges == [ByteRange(0, 2000)])
  }

  @Test func manyTransfersCostLittleToLookAt() throws {
    let bench = try Bench()
    _ = bench.engine.add((0..<10_000).map { bench.request("/file\($0)") })
    for _ in 0..<20 { bench.engine.tick() }
    #expect(bench.engine.sample().isEmpty)
    #expect(bench.engine.all().count == 10_000)
  }
}
