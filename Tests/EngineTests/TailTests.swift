// SPDX-License-Identifier: Apache-2.0
//
// The tail: a file over four connections of which one is slow, drips or falls silent, at any time.
// How long it takes, on virtual time, against what the lines could have brought.

import Chance
import Testing
import Transfers

@testable import Engine

private let mebibyte: Int64 = 1024 * 1024
private let fast = 2_000_000.0

/// One connection that stops being as fast as the others.
private struct Trouble: CustomStringConvertible {
  var size: Int64
  /// Which request it meets, from 1.
  var request: Int
  /// When, in seconds since the run began.
  var from: Double
  /// Bytes a second from then on.
  var rate: Double
  var seed: UInt64

  var description: String {
    "\(size) bytes, request \(request) from \(from) s on \(rate) B/s, seed \(seed)"
  }

  func line(_ request: Int) -> Line {
    request == self.request ? Line(fast, then: rate, from: from) : Line(fast)
  }

  /// When four connections could have brought the file, the troubled one among them.
  var ideal: Double {
    var (time, brought) = (0.0, 0.0)
    while brought < Double(size) {
      brought += (1...4).map { line($0).rate(at: time) }.reduce(0, +) * 0.001
      time += 0.001
    }
    return time
  }

  func run() -> LineRun {
    var run = LineRun(size: size, seed: seed, lines: line)
    run.go()
    return run
  }

  /// Troubles of all kinds, the same each time.
  static func all(rate: Double, seeds: UInt64) -> [Trouble] {
    (0..<seeds).map { seed in
      var dice = SplitMix(seed: seed)
      let sizes = [1, 2, 5, 8, 8, 8, 12, 20].map { Int64($0) * mebibyte + 17 }
      let size = sizes.randomElement(using: &dice) ?? mebibyte
      let usual = Double(size) / (4 * fast)
      return Trouble(
        size: size,
        request: Int.random(in: 1...4, using: &dice),
        from: Bool.random(using: &dice) ? 0 : Double.random(in: 0...(1.1 * usual), using: &dice),
        rate: rate,
        seed: seed
      )
    }
  }
}

@Suite struct TailTests {
  /// No byte is awaited from two connections at once, none is left to more than one until its end, and
  /// behind that end comes no more than what was on its way.
  private func expectFewAsk(_ traffic: LineTraffic, atMost times: Int, _ place: String) {
    #expect(traffic.mostAtOnce == 1, "\(place)")
    #expect(LineTraffic.depth(of: traffic.wanted) == 1, "\(place)")
    #expect(LineTraffic.depth(of: traffic.came) <= times, "\(place)")
    let onItsWay = Int64(LineRun.reading * fast)
    #expect(traffic.surplus <= Int64(traffic.requested.count) * onItsWay, "\(place)")
  }

  @Test(arguments: [ConnectionLimit.fixed(2), .fixed(8), .fixed(16), .adaptive], [true, false])
  func aByteIsLeftToOneConnectionHoweverManyThereAre(
    _ connections: ConnectionLimit,
    isOrdered: Bool
  ) {
    for seed in 0..<20 as Range<UInt64> {
      var dice = SplitMix(seed: seed)
      let speeds = (0..<200).map { _ in Double.random(in: 0.02...1, using: &dice) * fast }
      let size = Int64.random(in: 1...60, using: &dice) * mebibyte + 17
      var run = LineRun(size: size, connections: connections, isOrdered: isOrdered, seed: seed) {
        Line(speeds[$0 % speeds.count])
      }
      run.go()
      #expect(run.isComplete, "\(size) bytes, seed \(seed)")
      // Brought once; on its way once behind a cut, and with each overtaking.
      let times = 2 + SegmentPlan.overtakeLimit
      expectFewAsk(run.traffic, atMost: times, "\(size) bytes, seed \(seed)")
    }
  }

  @Test(arguments: [20_000.0, 100_000, 500_000])
  func aSlowConnectionCostsLessThanASecond(rate: Double) {
    for trouble in Trouble.all(rate: rate, seeds: 60) {
      let run = trouble.run()
      #expect(run.isComplete, "\(trouble)")
      #expect(run.lastByteAt <= trouble.ideal + 1, "\(trouble): ideally \(trouble.ideal) s")
      expectFewAsk(run.traffic, atMost: 2, "\(trouble)")
    }
  }

  @Test(arguments: [0, 1, 500])
  func aSilentOrDrippingConnectionCostsLittleMoreThanItsDetection(rate: Double) {
    for trouble in Trouble.all(rate: rate, seeds: 60) {
      let run = trouble.run()
      let detected = max(trouble.ideal, trouble.from + Segment.silence)
      #expect(run.isComplete, "\(trouble)")
      #expect(run.lastByteAt <= detected + 1, "\(trouble): detected after \(detected) s")
      expectFewAsk(run.traffic, atMost: 2, "\(trouble)")
    }
  }

  @Test func whatStandsStillIsShownWithinFiveSeconds() {
    for seed in 0..<100 as Range<UInt64> {
      var dice = SplitMix(seed: seed)
      let times = (0..<4).map { _ in Double.random(in: 0.1...3, using: &dice) }
      var run = LineRun(size: 64 * mebibyte, seed: seed) { request in
        request <= 4 ? Line(fast, then: 0, from: times[request - 1]) : Line(0)
      }
      run.go(until: 30)
      let shown = run.told.first { if case .fellSilent = $0.event { true } else { false } }
      #expect(shown.map { $0.at - run.lastByteAt <= 5 } == true, "\(times), seed \(seed)")
    }
  }
}
