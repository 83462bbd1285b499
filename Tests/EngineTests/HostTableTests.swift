// SPDX-License-Identifier: Apache-2.0
//
// What hosts are granted, over all transfers together.

import Testing
import Transfers

@testable import Engine

@Suite struct HostTableTests {
  private let table = HostTable(cap: 8)
  private let host = Origin(scheme: .http, host: "a.test", port: 80)
  private let other = Origin(scheme: .http, host: "b.test", port: 80)

  private func moment(_ seconds: Int64) -> Moment { Moment(nanoseconds: seconds * 1_000_000_000) }

  private func share(_ origin: Origin, at seconds: Int64 = 0) -> Int {
    table.grant(origin, at: moment(seconds)).share
  }

  @Test(arguments: [(1, 8), (2, 4), (3, 2), (8, 1), (20, 1)])
  func `runs share a host evenly, each has one at least`(runs: Int, each: Int) {
    for _ in 0..<runs { table.join(host) }
    #expect(share(host) == each)
    #expect(share(other) == 8)
    for _ in 1..<runs { table.leave(host) }
    #expect(share(host) == 8)
  }

  @Test func `what works when one more is refused is the limit, until it is tried again`() {
    table.join(host)
    table.join(host)
    table.refused(host, working: 2, at: moment(10))
    #expect(share(host, at: 11) == 2)
    table.leave(host)
    #expect(share(host, at: 12) == 4)
    #expect(share(host, at: 10 + 301) == 8)
  }

  @Test func `a limit only falls while it is believed`() {
    table.join(host)
    table.refused(host, working: 2, at: moment(0))
    table.refused(host, working: 5, at: moment(1))
    #expect(share(host, at: 2) == 2)
  }

  @Test func `a host that asks to wait holds everyone, the longest wait counts`() {
    table.hold(host, until: moment(60))
    table.hold(host, until: moment(30))
    #expect(table.grant(host, at: moment(5)).heldUntil == moment(60))
    #expect(table.grant(other, at: moment(5)).heldUntil < moment(0))
    table.release(host)
    #expect(table.grant(host, at: moment(5)).heldUntil < moment(0))
  }

  @Test func `what was learnt is told once, and taken over by the wall's clock`() throws {
    let wall = WallTime(seconds: 1000)
    #expect(table.news(at: moment(0), wall) == nil)
    table.join(host)
    table.refused(host, working: 2, at: moment(10))
    table.hold(other, until: moment(60))
    let known = try #require(table.news(at: moment(20), WallTime(seconds: 1020)))
    #expect(known.count == 2)
    #expect(table.news(at: moment(21), WallTime(seconds: 1021)) == nil)
    let next = HostTable(cap: 8, known: known, at: moment(5000), WallTime(seconds: 1030))
    next.join(host)
    #expect(next.grant(host, at: moment(5000)).share == 2)
    #expect(next.grant(host, at: moment(5000 + 281)).share == 8)
    #expect(next.grant(other, at: moment(5000)).heldUntil == moment(5030))
  }
}
