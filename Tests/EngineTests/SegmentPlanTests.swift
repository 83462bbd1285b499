// SPDX-License-Identifier: Apache-2.0
//
// SegmentPlan and Segment: who fetches what.

import Chance
import Testing
import Transfers

@testable import Engine

private let part = SegmentPlan.smallest

private func at(_ seconds: Double) -> Moment {
  Moment(nanoseconds: 0) + .seconds(seconds)
}

/// A connection takes bytes and they reach the disk.
private func fetch(_ plan: inout SegmentPlan, _ connection: Int, _ count: Int64, at now: Moment) {
  let claim = plan.claim(connection, Int(count), at: now)
  plan.wrote(connection, upTo: claim.offset + Int64(claim.wanted))
}

@Suite struct SegmentPlanTests {
  @Test func theFirstConnectionStartsWithTheWholeFile() {
    var plan = SegmentPlan(total: nil)
    #expect(plan.next(for: 0, at: at(0))?.range == ByteRange(0, SegmentPlan.unknownEnd))
    #expect(plan.next(for: 1, at: at(0)) == nil)
    plan.learn(total: 100)
    #expect(plan.segments[0]?.range == ByteRange(0, 100))
  }

  @Test func aFreeConnectionTakesTheTailHalf() {
    var plan = SegmentPlan(total: 8 * part)
    _ = plan.next(for: 0, at: at(0))
    #expect(plan.next(for: 1, at: at(0))?.range == ByteRange(4 * part, 8 * part))
    #expect(plan.segments[0]?.range == ByteRange(0, 4 * part))
    #expect(plan.segments[0]?.requestedUpper == 8 * part)
  }

  @Test func theRangeThatTakesLongestIsSplit() {
    var plan = SegmentPlan(total: 16 * part)
    _ = plan.next(for: 0, at: at(0))
    _ = plan.next(for: 1, at: at(0))
    fetch(&plan, 0, 6 * part, at: at(1))
    fetch(&plan, 1, 2 * part, at: at(1))
    // 2 parts are left at 6 a second, 6 parts at 2 a second.
    #expect(plan.next(for: 2, at: at(1))?.range == ByteRange(13 * part, 16 * part))
  }

  @Test func nothingSmallerThanTwoPartsIsSplit() {
    var plan = SegmentPlan(total: 2 * part - 1)
    _ = plan.next(for: 0, at: at(0))
    #expect(plan.next(for: 1, at: at(0)) == nil)
  }

  @Test func withoutRangesNothingIsSplit() {
    var plan = SegmentPlan(total: 8 * part)
    plan.isRanged = false
    _ = plan.next(for: 0, at: at(0))
    #expect(plan.next(for: 1, at: at(0)) == nil)
  }

  @Test func whatIsDoneInAMomentIsLeftAlone() {
    var plan = SegmentPlan(total: 100 * part)
    _ = plan.next(for: 0, at: at(0))
    fetch(&plan, 0, 90 * part, at: at(1))
    #expect(plan.next(for: 1, at: at(1)) == nil)
  }

  @Test func holesAreFilledFirst() {
    let have = ByteRangeSet([ByteRange(10, 20), ByteRange(30, 40)])
    var plan = SegmentPlan(total: 50, have: have)
    #expect(plan.next(for: 0, at: at(0))?.range == ByteRange(0, 10))
    #expect(plan.next(for: 1, at: at(0))?.range == ByteRange(20, 30))
    #expect(plan.next(for: 2, at: at(0))?.range == ByteRange(40, 50))
    #expect(plan.next(for: 3, at: at(0)) == nil)
  }

  @Test func aSilentConnectionIsOvertaken() {
    var plan = SegmentPlan(total: 32 * part)
    _ = plan.next(for: 0, at: at(0))
    _ = plan.next(for: 1, at: at(0))
    fetch(&plan, 0, 16 * part, at: at(1))
    fetch(&plan, 1, part, at: at(1))
    plan.release(0, at: at(1))
    let assignment = plan.next(for: 2, at: at(3))
    #expect(assignment?.overtaken == 1)
    #expect(assignment?.range == ByteRange(17 * part, 32 * part))
    #expect(plan.segments[1]?.left == 0)
    #expect(plan.claim(1, 10, at: at(3)).wanted == 0)
    #expect(plan.claim(1, 10, at: at(3)).isCut)
  }

  @Test func theSameBytesAreOvertakenTwiceAtMost() {
    var plan = SegmentPlan(total: 1000 * part)
    _ = plan.next(for: 0, at: at(0))
    _ = plan.next(for: 1, at: at(0))
    fetch(&plan, 0, 500 * part, at: at(1))
    plan.release(0, at: at(1))
    var now = 1.0
    var overtakes = 0
    for connection in 2...8 {
      now += 3
      if plan.next(for: connection, at: at(now))?.overtaken != nil { overtakes += 1 }
    }
    #expect(overtakes == SegmentPlan.overtakeLimit)
  }

  /// Lets connections of one speed fetch a file to its end, a MiB each in turn.
  ///
  /// - Returns: The ranges that were asked for, and the most that lay behind a gap in the last tenth.
  private func fetchAll(_ connections: Int, of total: Int64, isOrdered: Bool) -> (Int, Int64) {
    var plan = SegmentPlan(total: total)
    plan.isOrdered = isOrdered
    var (asked, behind, now): (Int, Int64, Double) = (0, 0, 0)
    while !plan.isComplete {
      now += 1
      for connection in 0..<connections {
        if (plan.segments[connection]?.left ?? 0) == 0 {
          plan.release(connection, at: at(now))
          guard plan.next(for: connection, at: at(now)) != nil else { continue }
          asked += 1
        }
        fetch(&plan, connection, 1 << 20, at: at(now))
      }
      guard plan.have.count > total / 10 * 9 else { continue }
      behind = max(behind, plan.have.count - (plan.have.ranges.first?.upper ?? 0))
    }
    return (asked, behind)
  }

  @Test(arguments: [2, 4, 8])
  func inOrderLittleIsLeftToBeDigestedAtTheEnd(connections: Int) {
    let (asked, behind) = fetchAll(connections, of: 1 << 30, isOrdered: true)
    #expect(behind <= Int64(connections) * SegmentPlan.smallestInOrder * 2)
    #expect(asked <= 80)
    #expect(fetchAll(connections, of: 1 << 30, isOrdered: false).1 > 256 << 20)
  }

  @Test func oneConnectionTakesAllInOrderToo() {
    #expect(fetchAll(1, of: 1 << 30, isOrdered: true).0 == 1)
  }

  @Test func smallFilesAreSplitInHalvesInOrderToo() {
    var plan = SegmentPlan(total: 8 * part)
    plan.isOrdered = true
    _ = plan.next(for: 0, at: at(0))
    #expect(plan.next(for: 1, at: at(0))?.range == ByteRange(4 * part, 8 * part))
  }

  @Test func aRefusedRangeGoesBackToItsOwner() {
    var plan = SegmentPlan(total: 8 * part)
    _ = plan.next(for: 0, at: at(0))
    _ = plan.next(for: 1, at: at(0))
    plan.release(1, at: at(0))
    #expect(plan.segments[0]?.range == ByteRange(0, 8 * part))
    #expect(plan.segments[0]?.isCut == false)
  }

  @Test func aRefusedRangeIsAHoleWhenItsOwnerHasEnded() {
    var plan = SegmentPlan(total: 8 * part)
    _ = plan.next(for: 0, at: at(0))
    _ = plan.next(for: 1, at: at(0))
    fetch(&plan, 0, 4 * part, at: at(0.1))
    plan.release(1, at: at(0.1))
    #expect(plan.segments[0]?.upper == 4 * part)
    plan.release(0, at: at(0.1))
    #expect(plan.next(for: 2, at: at(0.1))?.range == ByteRange(4 * part, 8 * part))
  }

  @Test func aRangeThatWasBegunDoesNotGoBack() {
    var plan = SegmentPlan(total: 8 * part)
    _ = plan.next(for: 0, at: at(0))
    _ = plan.next(for: 1, at: at(0))
    fetch(&plan, 1, 10, at: at(0.1))
    plan.release(1, at: at(0.1))
    #expect(plan.segments[0]?.upper == 4 * part)
    #expect(plan.next(for: 1, at: at(0.1))?.range == ByteRange(4 * part + 10, 8 * part))
  }

  @Test func onlyWantedBytesAreTaken() {
    var plan = SegmentPlan(total: 10)
    _ = plan.next(for: 0, at: at(0))
    func claim(_ connection: Int, _ count: Int) -> [Int64] {
      let claim = plan.claim(connection, count, at: at(0))
      return [claim.offset, Int64(claim.wanted), claim.isLast ? 1 : 0, claim.isCut ? 1 : 0]
    }
    #expect(claim(0, 4) == [0, 4, 0, 0])
    #expect(claim(0, 40) == [4, 6, 1, 0])
    #expect(claim(0, 1) == [10, 0, 1, 0])
    #expect(claim(9, 1).dropFirst() == [0, 1, 1])
    #expect(!plan.isComplete)
    plan.wrote(0, upTo: 10)
    #expect(plan.isComplete)
  }

  @Test func anEmptyFileIsCompleteAtOnce() {
    var plan = SegmentPlan(total: nil)
    _ = plan.next(for: 0, at: at(0))
    #expect(!plan.isComplete)
    plan.learn(total: 0)
    #expect(plan.isComplete)
  }

  @Test func forgottenBytesAreFetchedAgain() {
    var plan = SegmentPlan(total: 100, have: ByteRangeSet([ByteRange(0, 100)]))
    #expect(plan.isComplete)
    plan.forget(ByteRange(60, SegmentPlan.unknownEnd))
    #expect(plan.next(for: 0, at: at(0))?.range == ByteRange(60, 100))
  }

  @Test func aRestartForgetsEverything() {
    var plan = SegmentPlan(total: 100, have: ByteRangeSet([ByteRange(0, 60)]))
    plan.isRanged = false
    _ = plan.next(for: 0, at: at(0))
    plan.restart()
    #expect(plan.total == nil && plan.have.isEmpty && plan.segments.isEmpty && plan.isRanged)
  }

  @Test(arguments: 0..<60)
  func noOrderOfStepsOverlapsOrLosesAByte(seed: Int) {
    var generator = SplitMix(seed: UInt64(seed))
    let total = Int64.random(in: 1...(40 * part), using: &generator)
    var story = Story(total: total, knowsTotal: Bool.random(using: &generator))
    for _ in 0..<400 { story.step(&generator) }
    story.finish()
    #expect(story.complaints.isEmpty)
    #expect(story.plan.isComplete)
    #expect(story.plan.have.ranges == [ByteRange(0, total)])
  }
}

/// Connections that come, fetch, break and go in a random order.
private struct Story {
  let total: Int64
  var plan: SegmentPlan
  var now = 0.0
  var complaints: [String] = []

  init(total: Int64, knowsTotal: Bool) {
    self.total = total
    plan = SegmentPlan(total: knowsTotal ? total : nil)
  }

  mutating func step(_ generator: inout SplitMix) {
    now += Double.random(in: 0...1.2, using: &generator)
    let connection = Int.random(in: 0..<6, using: &generator)
    if plan.segments[connection] == nil {
      _ = plan.next(for: connection, at: at(now))
    } else {
      act(connection, &generator)
    }
    check()
  }

  private mutating func act(_ connection: Int, _ generator: inout SplitMix) {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: plan.release(connection, at: at(now))
    case 1: plan.learn(total: total)
    case 2:
      // Bytes that are claimed but do not reach the disk before the connection goes.
      let there = total - (plan.segments[connection]?.claimed ?? total)
      _ = plan.claim(connection, Int(max(0, min(1000, there))), at: at(now))
      plan.release(connection, at: at(now))
    default:
      take(connection, Int64.random(in: 1...(3 * part), using: &generator))
    }
  }

  private mutating func take(_ connection: Int, _ count: Int64) {
    guard let segment = plan.segments[connection] else { return }
    let there = max(0, min(count, total - segment.claimed))
    let before = plan.have
    let claim = plan.claim(connection, Int(there), at: at(now))
    let (wanted, isCut) = (claim.wanted, claim.isCut)
    let range = ByteRange(claim.offset, claim.offset + Int64(wanted))
    if !range.isEmpty, !before.gaps(in: range).elementsEqual([range]) {
      complaints.append("\(range) was there already")
    }
    if wanted > 0 { plan.wrote(connection, upTo: range.upper) }
    if isCut || plan.segments[connection]?.left == 0 { plan.release(connection, at: at(now)) }
  }

  private mutating func check() {
    for segment in plan.segments.values {
      let marks = [
        segment.lower, segment.written, segment.claimed, segment.upper, segment.requestedUpper,
      ]
      if marks != marks.sorted() { complaints.append("out of order: \(marks)") }
    }
    let busy = plan.segments.values.map { ByteRange($0.claimed, $0.upper) }.filter { !$0.isEmpty }
    for (index, one) in busy.enumerated() {
      if busy[(index + 1)...].contains(where: { $0.intersection(one) != nil }) {
        complaints.append("\(one) is fetched twice")
      }
      if plan.have.ranges.contains(where: { $0.intersection(one) != nil }) {
        complaints.append("\(one) is there already")
      }
    }
  }

  mutating func finish() {
    plan.learn(total: total)
    for _ in 0..<10_000 where !plan.isComplete {
      now += 0.01
      for connection in plan.segments.keys.sorted() { take(connection, total) }
      if plan.segments.isEmpty { _ = plan.next(for: 0, at: at(now)) }
      check()
    }
  }
}

@Suite struct SegmentTests {
  @Test func aSpeedNeedsTime() {
    var segment = Segment(ByteRange(0, 1000), at: at(0))
    #expect(segment.rate(at: at(1.9)) == nil)
    #expect(segment.rate(at: at(2)) == 0)
    segment.take(100, at: at(0.01))
    #expect(segment.rate(at: at(0.01)) == nil)
    segment.lastByteAt = at(0.6)
    #expect(segment.rate(at: at(0.5)) == 200)
    #expect(segment.rate(at: at(1)) == 100)
    #expect(segment.rate(at: at(2.2)) == 0)
  }

  @Test func aSpeedIsThatOfLate() {
    var segment = Segment(ByteRange(0, 1_000_000), at: at(0))
    for tenth in 0...10 { segment.take(10_000, at: at(Double(tenth) / 10)) }
    #expect(abs((segment.rate(at: at(1)) ?? 0) - 100_000) < 1)
    for tenth in 11...17 { segment.take(100, at: at(Double(tenth) / 10)) }
    #expect(abs((segment.rate(at: at(1.7)) ?? 0) - 1000) < 1)
    #expect(abs((segment.wholeRate(at: at(1.7)) ?? 0) - 110_700 / 1.7) < 1)
  }

  @Test func whereAnswersTakeLongSpeedIsMeasuredForLonger() {
    var segment = Segment(ByteRange(0, 1_000_000), at: at(0))
    // Bursts, one each round trip.
    for burst in 1...5 { segment.take(60_000, at: at(0.6 * Double(burst))) }
    for time in [3.01, 3.2, 3.5] {
      #expect((segment.rate(at: at(time)) ?? 0) > 50_000)
    }
  }

  @Test func aSegmentIsCutWhenItsRequestGoesOn() {
    var segment = Segment(ByteRange(100, 200), at: at(0))
    segment.claimed = 150
    #expect(segment.left == 50 && segment.received == 50 && !segment.isCut)
    segment.upper = 150
    #expect(segment.left == 0 && segment.isCut)
    #expect(segment.range == ByteRange(100, 150))
  }
}
