// SPDX-License-Identifier: Apache-2.0
//
// Tests of Moment, WallTime and the conversions of Duration, the ends of the clock included.

import Testing
import Transfers

@Suite struct `Moments and durations` {
  @Test(
    arguments: [
      (0, .seconds(1), 1_000_000_000), (5, .nanoseconds(-7), -2), (1, .zero, 1),
      (0, .milliseconds(1500), 1_500_000_000), (0, .nanoseconds(1) / 2, 0),
      (Int64.max, .nanoseconds(1), Int64.max), (Int64.min, .nanoseconds(-1), Int64.min),
      (0, .seconds(Int64.max), Int64.max), (-1, .seconds(Int64.min), Int64.min),
    ] as [(Int64, Duration, Int64)]
  )
  func `a moment and a duration make a moment`(start: Int64, added: Duration, end: Int64) {
    #expect((Moment(nanoseconds: start) + added).nanoseconds == end)
  }

  @Test(
    arguments: [
      (3_000_000_000, 1_000_000_000, .seconds(2)), (1, 3, .nanoseconds(-2)), (7, 7, .zero),
      (Int64.max, -1, .nanoseconds(Int64.max) + .nanoseconds(1)),
      (Int64.min, 1, .nanoseconds(Int64.min) - .nanoseconds(1)),
    ] as [(Int64, Int64, Duration)]
  )
  func `two moments make a duration, negative when turned round`(
    left: Int64,
    right: Int64,
    between: Duration
  ) {
    #expect(Moment(nanoseconds: left) - Moment(nanoseconds: right) == between)
  }

  @Test(
    arguments: [
      (.zero, 0), (.seconds(2), 2_000_000_000), (.milliseconds(-1500), -1_500_000_000),
      (.nanoseconds(Int64.max), Int64.max), (.nanoseconds(Int64.max) + .nanoseconds(1), Int64.max),
      (.nanoseconds(Int64.min), Int64.min), (.nanoseconds(Int64.min) - .nanoseconds(1), Int64.min),
      (.seconds(Int64.max), Int64.max), (.seconds(Int64.min), Int64.min),
    ] as [(Duration, Int64)]
  )
  func `nanoseconds saturate in both directions`(duration: Duration, nanoseconds: Int64) {
    #expect(duration.nanoseconds == nanoseconds)
  }

  @Test(
    arguments: [
      (.zero, 0), (.seconds(90), 90), (.milliseconds(250), 0.25), (.milliseconds(-1500), -1.5),
    ] as [(Duration, Double)]
  )
  func `a duration is a number of seconds`(duration: Duration, seconds: Double) {
    #expect(abs(duration.inSeconds - seconds) < 1e-9)
  }

  @Test func `both clocks are ordered by time`() {
    #expect(Moment(nanoseconds: -1) < Moment(nanoseconds: 1))
    #expect(!(Moment(nanoseconds: 1) < Moment(nanoseconds: 1)))
    #expect(WallTime(seconds: 1) < WallTime(seconds: 2))
  }
}
