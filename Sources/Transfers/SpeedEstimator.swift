// SPDX-License-Identifier: Apache-2.0
//
// SpeedEstimator: a rate out of samples, and the time left out of a rate.
//
// Formula  speed = (newest - oldest bytes) / (newest - oldest time) over the samples of the last
//          `window`; time left = bytes left / that speed.
//          Example: 10 MiB at 0 s and 22 MiB at 3 s give 4 MiB/s; 40 MiB left take 10 s.
// Never    reads a clock; keeps more than 64 samples: those closer together than a 60th of the
//          window are thinned out, so that the window keeps its length however often it is fed.

/// A sliding-window estimate of speed.
public struct SpeedEstimator: Hashable, Sendable {
  private struct Point: Hashable, Sendable {
    let at: Moment
    let bytes: ByteCount
  }

  private let window: Duration
  private var points: [Point] = []

  /// Makes an estimator over `window`; 3 s suits a speed column, 30 s a time-left column.
  public init(window: Duration = .seconds(3)) {
    self.window = window
  }

  /// Takes one sample; a count that went down (a restart) begins the window anew.
  public mutating func add(_ bytes: ByteCount, at moment: Moment) {
    if let last = points.last, bytes < last.bytes || moment < last.at { points = [] }
    if isCrowded { points.removeLast() }
    points.append(Point(at: moment, bytes: bytes))
    while points.count > 2, moment - points[1].at >= window { points.removeFirst() }
  }

  /// Whether the last two samples are too close to keep both once a newer one comes.
  private var isCrowded: Bool {
    guard points.count > 1 else { return false }
    return points[points.count - 1].at - points[points.count - 2].at < window / 60
  }

  /// The speed now, saturating; nil before there are two samples.
  public var rate: ByteRate? {
    guard let first = points.first, let last = points.last, last.at > first.at else { return nil }
    let seconds = (last.at - first.at).inSeconds
    let speed = Double((last.bytes - first.bytes).bytes) / seconds
    return ByteRate(Int64(exactly: speed.rounded(.down)) ?? .max)
  }

  /// The time left for `rest`; nil when nothing moves or it is longer than 99 days.
  public func timeLeft(for rest: ByteCount) -> Duration? {
    guard let rate, rate.bytesPerSecond > 0 else { return nil }
    let seconds = Double(rest.bytes) / Double(rate.bytesPerSecond)
    return seconds < 99 * 86_400 ? .seconds(Int64(seconds.rounded(.up))) : nil
  }
}
