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

  /// The speed in bytes a second: nil while it is too early to say, 0 when it went silent.
  func rate(at now: Moment) -> Double? {
    let age = (now - startedAt).inSeconds
    if received == 0 { return age < 2 ? nil : 0 }
    if (now - lastByteAt).inSeconds > 1.5 { return 0 }
    return age < 0.05 ? nil : Double(received) / age
  }
}
