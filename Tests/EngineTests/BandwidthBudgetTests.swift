// SPDX-License-Identifier: Apache-2.0
//
// BandwidthBudget by the hand clock: connections that read chunks and obey, over ten seconds.

import Testing
import Transfers

@testable import Engine

private let start = Moment(nanoseconds: 1_000_000_000)

/// A connection of the simulation.
private struct Reader {
  let claimant: Claimant
  let chunk: Int
  /// What its server sends at most, in bytes per second.
  var source = Double.infinity
  /// How late it wakes up.
  var lateness = Duration.zero
  var next = start
  /// When the chunk after this one is there, whether or not this one has been taken.
  var arrival = start
  var left = 0
  var taken: Int64 = 0

  init(_ transfer: Int64, _ connection: Int = 0, chunk: Int = 16_384) {
    claimant = Claimant(transfer: TransferID(transfer), connection: connection)
    self.chunk = chunk
  }

  /// So many connections of one transfer.
  static func several(_ count: Int, of transfer: Int64, chunk: Int = 16_384) -> [Reader] {
    (0..<count).map { Reader(transfer, $0, chunk: chunk) }
  }

  /// Asks once; how many bytes it took.
  mutating func ask(_ budgets: [BandwidthBudget]) -> Int {
    if left == 0 { left = chunk }
    let now = next
    let grants = budgets.map { $0.take(left, for: claimant, at: now) }
    let bytes = grants.map(\.bytes).min() ?? left
    for (budget, grant) in zip(budgets, grants) {
      budget.giveBack(grant.bytes - bytes, from: claimant)
    }
    left -= bytes
    taken += Int64(bytes)
    let pause = grants.map(\.pause).max() ?? .zero
    guard left == 0 else {
      next = now + pause + lateness
      return bytes
    }
    arrival = arrival + .seconds(Double(chunk) / source)
    next = max(now + .microseconds(1), arrival)
    return bytes
  }
}

/// What came in.
private struct Course {
  /// In each hundredth of a second.
  var hundredths: [Int64]
  var readers: [Reader]

  var total: Int64 { hundredths.reduce(0, +) }

  func taken(by transfer: Int64) -> Double {
    Double(readers.filter { $0.claimant.transfer.number == transfer }.map(\.taken).reduce(0, +))
  }

  /// The most in any second, whenever it begins.
  var worstSecond: Int64 {
    (0...(hundredths.count - 100)).map { hundredths[$0..<($0 + 100)].reduce(0, +) }.max() ?? 0
  }
}

/// Lets connections read for some seconds; `tick` is told each hundredth.
private func run(
  _ readers: [Reader],
  _ budgets: [BandwidthBudget],
  seconds: Int = 10,
  tick: (Int) -> Void = { _ in }
) -> Course {
  var course = Course(hundredths: Array(repeating: 0, count: seconds * 100), readers: readers)
  var known = -1
  while true {
    var first = 0
    for index in course.readers.indices
    where course.readers[index].next < course.readers[first].next { first = index }
    let hundredth = Int((course.readers[first].next - start).nanoseconds / 10_000_000)
    while known < min(hundredth, seconds * 100 - 1) {
      known += 1
      tick(known)
    }
    guard hundredth < course.hundredths.count else { return course }
    course.hundredths[hundredth] += Int64(course.readers[first].ask(budgets))
  }
}

private func isClose(_ value: Double, _ wanted: Double, by part: Double = 0.03) -> Bool {
  abs(value - wanted) <= part * wanted
}

@Suite struct BandwidthBudgetTests {
  @Test(arguments: [
    (10_000, 1, 16_384), (10_000, 8, 16_384), (10_000, 3, 700), (1_000_000, 1, 16_384),
    (1_000_000, 8, 65_536), (50_000_000, 4, 16_384), (1_000_000_000, 4, 262_144),
  ])
  func theRateIsKeptOverTenSecondsWithoutBursts(rate: Int64, connections: Int, chunk: Int) {
    let readers = (0..<connections).map { Reader(Int64($0 / 2), $0 % 2, chunk: chunk) }
    let course = run(readers, [BandwidthBudget(rate: ByteRate(rate))])
    #expect(isClose(Double(course.total), 10 * Double(rate)))
    #expect(Double(course.worstSecond) <= 1.25 * Double(rate))
  }

  @Test func whoWakesUpLateLosesNothing() {
    var readers = Reader.several(4, of: 1)
    for index in readers.indices { readers[index].lateness = .milliseconds(5 + index * 10) }
    let course = run(readers, [BandwidthBudget(rate: 2_000_000)])
    #expect(isClose(Double(course.total), 20_000_000))
    #expect(course.worstSecond <= 2_500_000)
  }

  @Test(arguments: [10_000, 1_000_000, 10_000_000] as [Int64])
  func transfersShareEvenlyWhateverTheirConnectionsAndChunks(rate: Int64) {
    let readers =
      [Reader(1, chunk: 1000)] + Reader.several(8, of: 2) + Reader.several(3, of: 3, chunk: 65_536)
    let course = run(readers, [BandwidthBudget(rate: ByteRate(rate))])
    for transfer: Int64 in 1...3 {
      #expect(isClose(course.taken(by: transfer), 10 * Double(rate) / 3, by: 0.04))
    }
    #expect(isClose(Double(course.total), 10 * Double(rate)))
  }

  @Test func connectionsOfATransferShareEvenlyToo() {
    let course = run(Reader.several(8, of: 1), [BandwidthBudget(rate: 800_000)])
    for reader in course.readers { #expect(isClose(Double(reader.taken), 1_000_000, by: 0.05)) }
  }

  @Test func whatOneCannotUseTheOthersGet() {
    var slow = Reader(1)
    slow.source = 100_000
    let course = run([slow, Reader(2), Reader(3)], [BandwidthBudget(rate: 1_000_000)])
    #expect(isClose(course.taken(by: 1), 1_000_000, by: 0.04))
    #expect(isClose(course.taken(by: 2), 4_500_000, by: 0.04))
    #expect(isClose(course.taken(by: 3), 4_500_000, by: 0.04))
  }

  @Test func whoComesLaterGetsAnEqualShareFromThenOn() {
    var late = Reader(2)
    late.next = start + .seconds(5)
    let course = run(Reader.several(4, of: 1) + [late], [BandwidthBudget(rate: 1_000_000)])
    #expect(isClose(course.taken(by: 1), 7_500_000, by: 0.04))
    #expect(isClose(course.taken(by: 2), 2_500_000, by: 0.04))
  }

  @Test func whoIsGoneLeavesItsShare() {
    let budget = BandwidthBudget(rate: 1_000_000)
    var gone = Reader(1)
    _ = gone.ask([budget])
    gone.next = start + .seconds(100)
    let course = run([gone, Reader(2)], [budget])
    #expect(isClose(course.taken(by: 2), 10_000_000))
  }

  @Test func theSmallerOfTwoLimitsDecides() {
    let shared = BandwidthBudget(rate: 4_000_000)
    let own = BandwidthBudget(rate: 1_000_000)
    let course = run(Reader.several(2, of: 1), [own, shared])
    #expect(isClose(Double(course.total), 10_000_000))
    #expect(course.worstSecond <= 1_250_000)
  }

  @Test func anotherRateHoldsAtOnce() {
    let budget = BandwidthBudget(rate: 1_000_000)
    let course = run(Reader.several(4, of: 1), [budget]) { hundredth in
      if hundredth == 300 { budget.rate = 10_000 }
      if hundredth == 600 { budget.rate = 4_000_000 }
    }
    let parts = [0..<300, 310..<600, 610..<1000].map { course.hundredths[$0].reduce(0, +) }
    #expect(isClose(Double(parts[0]), 3_000_000, by: 0.04))
    #expect(isClose(Double(parts[1]), 29_000, by: 0.04))
    #expect(isClose(Double(parts[2]), 15_600_000, by: 0.04))
  }

  @Test func withoutARateThereIsNoPause() {
    let budget = BandwidthBudget(rate: nil)
    let one = Claimant(transfer: TransferID(1), connection: 0)
    #expect(budget.take(.max, for: one, at: start) == Grant(bytes: .max, pause: .zero))
    budget.rate = 1000
    #expect(budget.take(1000, for: one, at: start).bytes == 100)
    budget.rate = nil
    #expect(budget.take(1000, for: one, at: start) == Grant(bytes: 1000, pause: .zero))
  }

  @Test func whatServersSendAheadIsCountedWhenItIsSent() {
    let budget = BandwidthBudget(rate: 100_000)
    let readers = Reader.several(3, of: 1)
    for reader in readers { budget.owe(8000, for: reader.claimant, at: start) }
    let course = run(readers, [budget])
    #expect(course.hundredths[..<100].reduce(0, +) + 24_000 <= 112_000)
    #expect(isClose(Double(course.total + 24_000), 1_000_000))
    for reader in course.readers { #expect(isClose(Double(reader.taken), 325_000, by: 0.05)) }
  }

  @Test func whoOwesAndDoesNotComeLeavesTheDebtToAll() {
    let budget = BandwidthBudget(rate: 100_000)
    budget.owe(50_000, for: Claimant(transfer: TransferID(2), connection: 0), at: start)
    let course = run([Reader(1)], [budget])
    #expect(isClose(Double(course.total + 50_000), 1_000_000))
  }

  @Test func anIdleLineSavesUpATenthOfASecond() {
    let budget = BandwidthBudget(rate: 1_000_000)
    let one = Claimant(transfer: TransferID(1), connection: 0)
    let grant = budget.take(500_000, for: one, at: start + .seconds(60))
    #expect(grant == Grant(bytes: 100_000, pause: .milliseconds(50)))
  }

  @Test func evenTheSmallestRateMovesOn() {
    let course = run(Reader.several(8, of: 1), [BandwidthBudget(rate: 16)], seconds: 20)
    #expect((300...340).contains(course.total))
  }
}
