// SPDX-License-Identifier: Apache-2.0
//
// ConnectionGrowth, BandwidthBudget and FoundDigest.

import Connections
import Testing
import Transfers

@testable import Engine

private func at(_ seconds: Double) -> Moment {
  Moment(nanoseconds: 0) + .seconds(seconds)
}

@Suite struct ConnectionGrowthTests {
  /// The looks, one a second, at which another connection is opened, at these speeds.
  private func opened(at speeds: [Int64], total: Int64? = nil) -> [Int] {
    var growth = ConnectionGrowth()
    var bytes: Int64 = 0
    _ = growth.look(at: at(0), bytes: 0, total: nil)
    var opened: [Int] = []
    for (second, speed) in speeds.enumerated() {
      bytes += speed
      if growth.look(at: at(Double(second + 1)), bytes: bytes, total: total) {
        opened.append(second + 1)
      }
    }
    return opened
  }

  @Test func itGrowsWhileTheSpeedRises() {
    #expect(opened(at: [100, 200, 300, 400]) == [1, 2, 3, 4])
  }

  @Test func itStaysAfterTwoLooksWithoutARise() {
    #expect(opened(at: [100, 101, 102, 900, 900]) == [1])
    #expect(opened(at: [100, 101, 200, 200, 300]) == [1, 3, 5])
  }

  @Test func withoutBytesItDoesNotGrow() {
    #expect(opened(at: [0, 0, 0]) == [])
  }

  @Test func atTheEndItDoesNotGrow() {
    #expect(opened(at: [100, 200, 300], total: 800) == [1])
  }

  @Test func itLooksOnceASecond() {
    var growth = ConnectionGrowth()
    let first = growth.look(at: at(0), bytes: 0, total: nil)
    let early = growth.look(at: at(0.9), bytes: 100, total: nil)
    let due = growth.look(at: at(1), bytes: 100, total: nil)
    #expect(!first && !early && due)
  }
}

@Suite struct BandwidthBudgetTests {
  /// Connections that read chunks and obey the pauses; the bytes of each tenth of a second.
  private func run(
    _ budgets: [BandwidthBudget],
    connections: Int,
    chunk: Int,
    seconds: Int
  ) -> [Int64] {
    var free = Array(repeating: at(0), count: connections)
    var tenths = Array(repeating: Int64(0), count: seconds * 10)
    while true {
      guard let index = free.indices.min(by: { free[$0] < free[$1] }) else { return tenths }
      let now = free[index]
      let tenth = Int(now.nanoseconds / 100_000_000)
      guard tenth < tenths.count else { return tenths }
      tenths[tenth] += Int64(chunk)
      let pauses = budgets.compactMap { $0.spend(chunk, at: now) }
      free[index] = now + (pauses.max() ?? .microseconds(10))
    }
  }

  @Test(arguments: [(1, 16_384), (4, 16_384), (8, 65_536), (3, 1000)])
  func theRateIsKeptOverTenSeconds(connections: Int, chunk: Int) {
    let rate: Int64 = 2_000_000
    let budget = BandwidthBudget(rate: ByteRate(rate))
    let tenths = run([budget], connections: connections, chunk: chunk, seconds: 10)
    let total = tenths.reduce(0, +)
    let allowed = Double(connections * chunk)
    #expect(abs(Double(total) - 10 * Double(rate)) <= 0.03 * 10 * Double(rate) + allowed)
  }

  @Test func noSecondBringsMuchMore() {
    let rate: Int64 = 2_000_000
    let budget = BandwidthBudget(rate: ByteRate(rate))
    let tenths = run([budget], connections: 4, chunk: 16_384, seconds: 10)
    for start in 0...(tenths.count - 10) {
      let second = tenths[start..<(start + 10)].reduce(0, +)
      #expect(Double(second) <= 1.25 * Double(rate))
    }
  }

  @Test func theSmallerOfTwoLimitsDecides() {
    let shared = BandwidthBudget(rate: ByteRate(4_000_000))
    let own = BandwidthBudget(rate: ByteRate(1_000_000))
    let total = run([shared, own], connections: 2, chunk: 16_384, seconds: 10).reduce(0, +)
    #expect(abs(Double(total) - 10_000_000) <= 300_000)
  }

  @Test func anIdleLineSavesUpLittle() {
    let budget = BandwidthBudget(rate: ByteRate(1_000_000))
    #expect(budget.spend(50_000, at: at(100)) == nil)
    #expect(budget.spend(50_000, at: at(100)) == .milliseconds(50))
  }

  @Test func withoutARateThereIsNoPause() {
    let budget = BandwidthBudget(rate: nil)
    #expect(budget.spend(.max, at: at(0)) == nil)
    budget.rate = 1000
    #expect(budget.spend(1000, at: at(0)) == .milliseconds(950))
    budget.rate = nil
    #expect(budget.spend(1000, at: at(0)) == nil)
  }

  @Test func aNewRateDoesNotPayTheDebtsOfTheOld() {
    let budget = BandwidthBudget(rate: 1000)
    _ = budget.spend(100_000, at: at(0))
    budget.rate = 1_000_000
    let pause = budget.spend(10_000, at: at(1))
    #expect((pause ?? .zero) <= .milliseconds(10))
  }
}

@Suite struct FoundDigestTests {
  private func found(_ fields: (String, String)...) -> String? {
    let head = ResponseHead(
      status: 200,
      fields: fields.map { ResponseField($0.0, $0.1) },
      link: link("http://one.test/file")
    )
    return FoundDigest.best(in: head)?.text
  }

  private static let hello = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
  private static let helloHex = "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38"
  private static let other = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="

  @Test func theExamplesOfTheStandardAreRead() {
    // RFC 9530 appendix B.1: {"hello": "world"} and a line feed.
    #expect(found(("repr-digest", "sha-256=:\(Self.hello):")) == "sha-256:" + Self.helloHex)
    #expect(
      found(("repr-digest", "sha-256=:\(Self.other):"))?.hasPrefix("sha-256:5f8f04f6") == true
    )
    #expect(found(("digest", "SHA-256=\(Self.hello)")) == "sha-256:" + Self.helloHex)
  }

  @Test func theStrongestIsTaken() {
    let long = String(repeating: "A", count: 86) + "=="
    let both = "sha-256=:\(Self.hello):, sha-512=:\(long):"
    #expect(found(("repr-digest", both))?.hasPrefix("sha-512:0000") == true)
    #expect(found(("digest", "md5=HUXZLQLMuI/KZ5KDcJPcOA==, sha-256=\(Self.hello)")) != nil)
  }

  @Test(arguments: [
    "", "sha-256", "sha-256=", "sha-256=::", "sha-256=:AAAA:", "sha-256=:!!!!:", "=:AAAA:",
    "md5=:HUXZLQLMuI/KZ5KDcJPcOA==:", "sha=:AAAA:", ",,,", "sha-256=:\(hello.dropLast(4)):",
    "sha-256=\"text\"", "unixsum=30637",
  ])
  func whatIsNotADigestIsNone(text: String) {
    #expect(found(("repr-digest", text)) == nil)
  }

  @Test func theDigestOfOneAnswerIsNotTheFiles() {
    #expect(found(("content-digest", "sha-256=:\(Self.hello):")) == nil)
  }

  @Test func theDigestOfCodedBytesIsNotTheFiles() {
    #expect(
      found(("repr-digest", "sha-256=:\(Self.hello):"), ("content-encoding", "gzip")) == nil
    )
  }
}
