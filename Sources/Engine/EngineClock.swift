// SPDX-License-Identifier: Apache-2.0
//
// EngineClock: time and chance, handed in, so that a test can set both.
//
// Threads  any; the closures must be safe to call from every worker.

import Glibc
public import Transfers

/// Where the engine gets the time and its dice from.
public struct EngineClock: Sendable {
  /// The monotonic clock.
  public let now: @Sendable () -> Moment
  /// The wall clock.
  public let wall: @Sendable () -> WallTime
  /// A random number in 0 ..< 1.
  public let random: @Sendable () -> Double
  /// What the user's clock shows at a time.
  public let local: LocalClock

  /// Makes a clock out of its sources; the user's clock shows UTC unless another is given.
  public init(
    now: @escaping @Sendable () -> Moment,
    wall: @escaping @Sendable () -> WallTime,
    random: @escaping @Sendable () -> Double,
    local: @escaping LocalClock = { LocalTime($0) }
  ) {
    self.now = now
    self.wall = wall
    self.random = random
    self.local = local
  }

  /// The machine's own clocks (`clock_gettime(2)`, `time(2)`), generator and time zone
  /// (`localtime_r(3)`).
  public static let system = EngineClock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    },
    wall: { WallTime(seconds: Int64(time(nil))) },
    random: { Double.random(in: 0..<1) },
    local: { wall in
      var seconds = time_t(wall.seconds)
      var parts = tm()
      localtime_r(&seconds, &parts)
      return LocalTime(wall, offset: parts.tm_gmtoff)
    }
  )
}
