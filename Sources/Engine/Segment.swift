// SPDX-License-Identifier: Apache-2.0
//
// Segment: the range one connection is fetching, and how fast.
//
//   lower ──── written ──── claimed ──────────── upper ────────── requestedUpper
//     on disk │  in memory │  still to come     │  given away to another connection
//
// Holds    lower <= written <= claimed <= upper <= requestedUpper.
// Never    talks to anybody; `SegmentPlan` owns all of a transfer's segments.

import Transfers

/// A range given to one connection.
struct Segment {
  /// Where it began.
  let lower: Int64
  /// Where it ends now; moves down when another connection takes the tail.
  var upper: Int64
  /// Where the request that was sent ends; the end can be moved back up to here.
  var requestedUpper: Int64
  /// Bytes below this were taken from the connection.
  var claimed: Int64
  /// Bytes below this are on disk.
  var written: Int64
  /// When it was given out.
  let startedAt: Moment
  /// When the last byte came.
  var lastByteAt: Moment
  /// When the first byte came.
  private var firstByteAt: Moment?
  /// Two moments, a step apart, from which on the speed is measured.
  private var marks: (earlier: Mark, later: Mark)
  /// How often these bytes were already taken from a connection that was too slow.
  let overtaken: Int

  init(_ range: ByteRange, at now: Moment, overtaken: Int = 0) {
    lower = range.lower
    upper = range.upper
    requestedUpper = range.upper
    claimed = range.lower
    written = range.lower
    startedAt = now
    lastByteAt = now
    let mark = Mark(at: now, claimed: range.lower)
    marks = (mark, mark)
    self.overtaken = overtaken
  }

  /// Bytes that have still to come.
  var left: Int64 { upper - claimed }

  /// Whether all of it came, but the request that was sent goes on past it.
  var isCut: Bool { left <= 0 && upper < requestedUpper }

  /// Bytes that came.
  var received: Int64 { claimed - lower }

  /// The bytes it is responsible for.
  var range: ByteRange { ByteRange(lower, max(lower, upper)) }

  /// How long its first byte took, in seconds; nil before that came.
  private var answerTime: Double? { firstByteAt.map { ($0 - startedAt).inSeconds } }

  /// What a new connection in its place would need before its first byte, in seconds.
  var startTime: Double { answerTime ?? 0 }

  /// Takes that `count` more bytes came.
  mutating func take(_ count: Int64, at now: Moment) {
    claimed += count
    lastByteAt = now
    if firstByteAt == nil {
      firstByteAt = now
      marks = (Mark(at: now, claimed: claimed), Mark(at: now, claimed: claimed))
    } else if (now - marks.later.at).inSeconds >= step {
      marks = (marks.later, Mark(at: now, claimed: claimed))
    }
  }

  /// Who has brought no byte for so many seconds is silent; at its start somewhat longer.
  static let silence = 1.5

  /// The speed of late in bytes a second: nil while it is too early to say, 0 when it went silent.
  func rate(at now: Moment) -> Double? {
    guard firstByteAt != nil else {
      return (now - startedAt).inSeconds < Self.silence + 0.5 ? nil : 0
    }
    if (now - lastByteAt).inSeconds > Self.silence { return 0 }
    let isLateEnough = (now - marks.later.at).inSeconds >= step && claimed > marks.later.claimed
    let mark = isLateEnough ? marks.later : marks.earlier
    guard claimed > mark.claimed else { return wholeRate(at: now) }
    let seconds = (now - mark.at).inSeconds
    return seconds < 0.05 ? nil : Double(claimed - mark.claimed) / seconds
  }

  /// The speed from its beginning on, the wait for the first byte included; nil at the very start.
  func wholeRate(at now: Moment) -> Double? {
    let age = (now - startedAt).inSeconds
    return age < 0.05 ? nil : Double(received) / age
  }

  /// How long speed is measured at least, in seconds: where answers take long, bytes come in bursts.
  private var step: Double { min(1, max(0.25, startTime)) }
}

/// How far a segment was at a moment.
private struct Mark {
  let at: Moment
  let claimed: Int64
}
