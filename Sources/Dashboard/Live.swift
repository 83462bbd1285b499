// SPDX-License-Identifier: Apache-2.0
//
// Live: what is known of a transfer only while it runs: samples, speeds, when bytes last came.
// Holds    two estimates: 3 s for the speed, 30 s for the time left, so that it does not jump.
// Never    outlives the run: the row drops it when its transfer stops.

import Transfers

/// The figures of a running transfer.
struct Live: Sendable {
  /// The newest sample taken once a second.
  private(set) var sample: TransferSample
  /// Bytes on disk for the bar, which moves more often than the numbers.
  private(set) var barBytes: ByteCount
  /// When the number of bytes last grew.
  private(set) var grewAt: Moment
  private var fast = SpeedEstimator(window: .seconds(3))
  private var slow = SpeedEstimator(window: .seconds(30))
  private var connectionSpeeds: [Int: SpeedEstimator] = [:]

  init(_ sample: TransferSample, now: Moment) {
    self.sample = sample
    barBytes = sample.received
    grewAt = now
  }

  /// The speed over the last seconds; nil before there are two samples.
  var speed: ByteRate? { fast.rate }

  /// The speed over half a minute, for the time left.
  var smoothSpeed: ByteRate? { slow.rate }

  /// The time left for `rest`.
  func timeLeft(for rest: ByteCount) -> Duration? { slow.timeLeft(for: rest) }

  /// The speed of one connection.
  func speed(ofConnection number: Int) -> ByteRate? { connectionSpeeds[number]?.rate }

  /// Takes a sample of the once-a-second kind.
  mutating func take(_ new: TransferSample, now: Moment) {
    if new.received != sample.received { grewAt = now }
    sample = new
    barBytes = new.received
    fast.add(new.received, at: now)
    slow.add(new.received, at: now)
    var speeds: [Int: SpeedEstimator] = [:]
    for connection in new.connections {
      var speed = connectionSpeeds[connection.number] ?? SpeedEstimator(window: .seconds(3))
      speed.add(connection.received, at: now)
      speeds[connection.number] = speed
    }
    connectionSpeeds = speeds
  }

  /// Moves the bar alone, and tells whether it moved.
  mutating func moveBar(_ new: TransferSample) -> Bool {
    defer { barBytes = new.received }
    return new.received != barBytes
  }
}
