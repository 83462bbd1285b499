// SPDX-License-Identifier: Apache-2.0
//
// HostWaitTests: a host that asked one transfer to wait holds the others too, and they say so.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "host", size: 100_000)

@Suite struct HostWaitTests {
  /// A host that is busy until the gate is said to be open.
  private func busy() throws -> (Bench, first: TransferID, wait: RetryWait) {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.path == "/first" && asked.turn == 1
        ? [.head(429, [ResponseField("retry-after", "50")])] : Served(content).whole(asked)
    }
    let first = bench.fetch("/first")
    return (bench, first, try #require(bench.waitForRetry(first)))
  }

  @Test func theOthersWaitAsLongAndSayForWhom() throws {
    let (bench, first, wait) = try busy()
    let second = bench.fetch("/second")
    let other = try #require(bench.waitForRetry(second))
    #expect(other.until == wait.until)
    #expect(other.failure.kind == .serverBusy)
    #expect(other.failure.detail.contains("one.test"))
    #expect(bench.web.asked.count == 1)
    bench.pass(other)
    #expect(bench.waitFinished(first) && bench.waitFinished(second))
    #expect(bench.web.asked.count == 3)
  }

  @Test func oneThatIsToldToGoDoesNotWait() throws {
    let (bench, _, _) = try busy()
    let second = bench.fetch("/second")
    _ = try #require(bench.waitForRetry(second))
    bench.engine.resume([second])
    #expect(bench.waitFinished(second))
  }

  @Test func anotherHostIsNotHeld() throws {
    let (bench, _, _) = try busy()
    let id = bench.fetch("/second") { $0.mirrors = [link("http://two.test/second")] }
    #expect(bench.waitFinished(id))
  }

  @Test func aPauseThatAHostAskedForOutlivesTheProgram() throws {
    let (bench, _, wait) = try busy()
    let rest = (wait.until - bench.clock.now).inSeconds
    bench.shutDown()
    let next = try Bench(in: bench.scratch)
    next.web.answer { Served(content).whole($0) }
    let other = try #require(next.waitForRetry(next.fetch("/second")))
    #expect(abs((other.until - next.clock.now).inSeconds - rest) <= 1)
    #expect(next.web.asked.isEmpty)
  }
}
