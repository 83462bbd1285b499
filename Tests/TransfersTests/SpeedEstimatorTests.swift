// SPDX-License-Identifier: Apache-2.0
//
// Tests of SpeedEstimator: worked examples and the edges where there is no speed to tell.

import Testing
import Transfers

private let mebibyte: Int64 = 1 << 20

/// An estimator that was fed samples of milliseconds and bytes.
private func estimator(
  window: Duration = .seconds(3),
  _ samples: [(at: Int64, bytes: Int64)]
) -> SpeedEstimator {
  var estimator = SpeedEstimator(window: window)
  for sample in samples {
    estimator.add(ByteCount(sample.bytes), at: Moment(nanoseconds: sample.at * 1_000_000))
  }
  return estimator
}

@Suite struct `Speed and time left` {
  @Test(
    arguments: [
      ("nothing yet", [], nil),
      ("one sample", [(0, 5)], nil),
      ("the same moment", [(7, 5), (7, 900)], nil),
      ("the worked example", [(0, 10 * mebibyte), (3000, 22 * mebibyte)], 4 * mebibyte),
      ("standing still", [(0, 5), (1000, 5)], 0),
      ("the window forgets", [(0, 0), (1000, 9000), (2000, 9000), (4000, 9000), (5000, 9100)], 33),
      ("a long gap is all there is", [(0, 0), (60_000, 6000)], 100),
      ("a long gap is over", [(0, 0), (60_000, 6000), (63_000, 6600)], 200),
      ("a restart begins anew", [(0, 5000), (1000, 6000), (2000, 100)], nil),
      ("a restart goes on", [(0, 5000), (1000, 6000), (2000, 100), (3000, 400)], 300),
      ("a clock that went back", [(5000, 100), (4000, 200)], nil),
      ("two samples at once", [(0, 0), (0, 100), (1000, 600)], 600),
      ("more than can be told", [(0, 0), (1, Int64.max)], Int64.max),
    ] as [(String, [(at: Int64, bytes: Int64)], Int64?)]
  )
  func `speed is bytes over time within the window`(
    example: String,
    samples: [(at: Int64, bytes: Int64)],
    speed: Int64?
  ) {
    #expect(estimator(samples).rate == speed.map { ByteRate($0) }, "\(example)")
  }

  @Test(
    arguments: [
      (40 * mebibyte, .seconds(10)), (0, .zero), (1, .seconds(1)),
      (4 * mebibyte + 1, .seconds(2)), (Int64.max, nil),
      (4 * mebibyte * (99 * 86_400 - 1), .seconds(99 * 86_400 - 1)),
      (4 * mebibyte * 99 * 86_400, nil),
    ] as [(Int64, Duration?)]
  )
  func `time left is rounded up and unknown beyond 99 days`(rest: Int64, left: Duration?) {
    let example = estimator([(0, 10 * mebibyte), (3000, 22 * mebibyte)])
    #expect(example.timeLeft(for: ByteCount(rest)) == left)
  }

  @Test(arguments: [[], [(0, 5)], [(0, 5), (1000, 5)]] as [[(at: Int64, bytes: Int64)]])
  func `time left is unknown when nothing moves`(samples: [(at: Int64, bytes: Int64)]) {
    #expect(estimator(samples).timeLeft(for: 10) == nil)
  }

  @Test(arguments: [1, 4, 25, 250] as [Int64])
  func `a window keeps its length however often it is fed`(perSecond: Int64) throws {
    let samples = (0...30 * perSecond).map { step in
      let at = step * 1000 / perSecond
      return (at: at, bytes: min(at, 15_000))
    }
    let rate = try #require(estimator(window: .seconds(30), samples).rate)
    #expect(abs(rate.bytesPerSecond - 500) <= 25)
  }

  @Test(arguments: [1, 30, 60, 61, 1000] as [Int64])
  func `at most 64 samples are kept`(perWindow: Int64) throws {
    let samples = (0...5 * perWindow).map { (at: $0 * 3000 / perWindow, bytes: $0) }
    let mirror = Mirror(reflecting: estimator(samples))
    let points = try #require(mirror.children.first { $0.label == "points" })
    let count = Mirror(reflecting: points.value).children.count
    #expect((2...64).contains(count))
  }
}
