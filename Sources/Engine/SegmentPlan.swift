// SPDX-License-Identifier: Apache-2.0
//
// SegmentPlan: decides who fetches what of one file. Pure: the time is handed in, nothing is sent.
//
// Holds    segments never overlap; with what is written and the free gaps they cover the file.
// Rules    A free connection takes a gap; else the rest of a connection that is far slower than the
//          best one seen; else the tail half of the range that will take longest to finish
//          (bytes left ÷ its speed), while both halves keep `smallest` bytes. In order, for a file
//          whose digest grows with it, beginnings are taken in place of halves (0029).
// Threads  a value; `TransferRun` keeps it under its mutex.

import Transfers

/// What one connection is to fetch.
struct Assignment: Hashable {
  /// The bytes; the end is `SegmentPlan.unknownEnd` while the length is not known.
  let range: ByteRange
  /// A connection that is too slow and whose rest this is; it should be cancelled.
  let overtaken: Int?
}

/// Where arriving bytes belong.
struct ByteClaim: Hashable {
  /// The place of the first of them.
  let offset: Int64
  /// How many of them are wanted, perhaps none.
  let wanted: Int
  /// Whether they complete the segment.
  let isLast: Bool
  /// Whether the stream should end here although it goes on.
  let isCut: Bool

  /// Bytes that nobody asked for.
  static let nothing = ByteClaim(offset: 0, wanted: 0, isLast: true, isCut: true)
}

/// The plan of one transfer.
struct SegmentPlan {
  /// The end of a file whose length is not known.
  static let unknownEnd = Int64.max
  /// No part is made smaller than this.
  static let smallest: Int64 = 256 * 1024
  /// In order no part but the last ones is smaller than this.
  static let smallestInOrder: Int64 = 16 * 1024 * 1024
  /// How often the same bytes may be taken from a slow connection.
  static let overtakeLimit = 2

  /// The length of the file, once known.
  private(set) var total: Int64?
  /// Whether byte ranges can be asked for.
  var isRanged = true
  /// Whether the bytes are wanted about in their order.
  var isOrdered = false
  /// What is on disk.
  private(set) var have: ByteRangeSet
  /// Who is fetching what, by connection number.
  private(set) var segments: [Int: Segment] = [:]
  /// The best speed any connection of this run has shown, bytes a second.
  private(set) var bestRate: Double?
  /// When any connection brought a byte last, or was to bring none before.
  private(set) var lastByteAt: Moment?

  init(total: Int64?, have: ByteRangeSet = ByteRangeSet()) {
    self.total = total
    self.have = have
  }

  /// The whole file as a range.
  var whole: ByteRange { ByteRange(0, total ?? Self.unknownEnd) }

  /// Whether every byte is on disk.
  var isComplete: Bool {
    guard let total else { return false }
    return have.count == total
  }

  /// Takes the length when an answer, or the end of the stream, tells it.
  mutating func learn(total: Int64) {
    self.total = total
    for (connection, segment) in segments where segment.upper > total {
      segments[connection]?.upper = max(segment.claimed, total)
      segments[connection]?.requestedUpper = max(segment.claimed, total)
    }
  }

  /// Gives a connection something to do.
  ///
  /// - Returns: nil when there is nothing it could usefully fetch now.
  mutating func next(for connection: Int, at now: Moment) -> Assignment? {
    if let gap = firstFreeGap { return begin(beginning(of: gap), connection, now) }
    guard isRanged, total != nil else { return nil }
    if let slow = overtakeable(at: now) { return overtake(slow, by: connection, now) }
    return split(for: connection, at: now)
  }

  /// Takes up to `count` arriving bytes into a connection's segment.
  mutating func claim(_ connection: Int, _ count: Int, at now: Moment) -> ByteClaim {
    guard var segment = segments[connection] else { return .nothing }
    let offset = segment.claimed
    let wanted = Int(min(Int64(count), segment.left))
    segment.take(Int64(wanted), at: now)
    segments[connection] = segment
    lastByteAt = now
    return ByteClaim(
      offset: offset,
      wanted: wanted,
      isLast: segment.left <= 0,
      isCut: segment.isCut
    )
  }

  /// Notes that a connection reads nothing until `moment`, because a limit says so.
  mutating func expectSilence(_ connection: Int, until moment: Moment) {
    segments[connection]?.lastByteAt = moment
    lastByteAt = moment
  }

  /// Notes that a connection's bytes below `offset` are on disk.
  mutating func wrote(_ connection: Int, upTo offset: Int64) {
    guard let segment = segments[connection], offset > segment.written else { return }
    have.insert(ByteRange(segment.written, offset))
    segments[connection]?.written = offset
  }

  /// Takes a connection's segment back; what it did not write is free again, or returns to the
  /// connection it was taken from when that one still streams past it.
  mutating func release(_ connection: Int, at now: Moment) {
    guard let segment = segments.removeValue(forKey: connection) else { return }
    if segment.received >= Self.smallest, let rate = segment.wholeRate(at: now),
      rate > bestRate ?? 0
    {
      bestRate = rate
    }
    if segment.written == segment.lower { giveBack(segment) }
  }

  /// These bytes are not on disk after all.
  mutating func forget(_ range: ByteRange) {
    have.remove(range)
  }

  /// Lets a connection fetch nothing that is new; the bytes before `offset` are to be compared.
  mutating func compare(before offset: Int64, _ connection: Int, at now: Moment) -> Assignment {
    begin(ByteRange(offset, offset), connection, now)
  }

  /// The first bytes that are neither on disk nor being fetched.
  var firstFreeGap: ByteRange? {
    var taken = have
    for segment in segments.values { taken.insert(ByteRange(segment.written, segment.upper)) }
    return taken.gaps(in: whole).first
  }

  /// Everything is dropped.
  mutating func restart() {
    self = SegmentPlan(total: nil)
  }
}

extension SegmentPlan {
  private mutating func begin(_ range: ByteRange, _ connection: Int, _ now: Moment) -> Assignment {
    segments[connection] = Segment(range, at: now)
    return Assignment(range: range, overtaken: nil)
  }

  private mutating func giveBack(_ segment: Segment) {
    let neighbour = segments.first {
      $0.value.upper == segment.lower && $0.value.requestedUpper >= segment.upper
    }
    guard let neighbour, neighbour.value.left > 0 else { return }
    segments[neighbour.key]?.upper = segment.upper
  }

  /// Seconds until a segment is done at its own speed; without one, at the best speed seen.
  private func secondsLeft(_ segment: Segment, at now: Moment) -> Double {
    let rate = segment.rate(at: now) ?? bestRate ?? 1
    return rate > 0 ? Double(segment.left) / rate : .infinity
  }

  /// How many seconds earlier a fresh connection has to be done.
  private static let worthChanging = 0.5

  private func overtakeable(at now: Moment) -> Int? {
    let rates = segments.values.compactMap { $0.rate(at: now) }
    guard let best = (rates + [bestRate ?? 0]).max(), best > 0 else { return nil }
    let slow = segments.filter { _, segment in
      guard segment.left > 0, segment.overtaken < Self.overtakeLimit,
        let rate = segment.rate(at: now)
      else { return false }
      let fresh = segment.startTime + Double(segment.left) / best
      return rate < 0.3 * best && secondsLeft(segment, at: now) > fresh + Self.worthChanging
    }
    return slow.max { $0.value.left < $1.value.left }?.key
  }

  private mutating func overtake(_ slow: Int, by connection: Int, _ now: Moment) -> Assignment? {
    guard let victim = segments[slow] else { return nil }
    let rest = ByteRange(victim.claimed, victim.upper)
    segments[slow]?.upper = victim.claimed
    segments[connection] = Segment(rest, at: now, overtaken: victim.overtaken + 1)
    return Assignment(range: rest, overtaken: slow)
  }

  private mutating func split(for connection: Int, at now: Moment) -> Assignment? {
    let worth = segments.filter { $0.value.left >= 2 * Self.smallest }
    let slowest = worth.max { secondsLeft($0.value, at: now) < secondsLeft($1.value, at: now) }
    guard let (victim, segment) = slowest, isWorthSplitting(segment, at: now) else { return nil }
    let middle = segment.claimed + min(segment.left / 2, share(of: segment.left))
    segments[victim]?.upper = middle
    let tail = beginning(of: ByteRange(middle, segment.upper))
    segments[connection] = Segment(tail, at: now, overtaken: segment.overtaken)
    return Assignment(range: tail, overtaken: nil)
  }

  /// What one connection takes of so many bytes, in order; less and less towards the end, so that
  /// little of what came early waits for its turn there.
  private func share(of count: Int64) -> Int64 {
    isOrdered ? max(Self.smallestInOrder, count / 32) : count
  }

  /// With others at work in order, the part of a gap that one connection is to fetch.
  private func beginning(of gap: ByteRange) -> ByteRange {
    let part = share(of: gap.count)
    guard total != nil, !segments.isEmpty, gap.count > part + part / 2 else { return gap }
    return ByteRange(gap.lower, gap.lower + part)
  }

  /// A range that is done in a moment is left alone: another request would cost more.
  private func isWorthSplitting(_ segment: Segment, at now: Moment) -> Bool {
    guard let rate = segment.rate(at: now), rate > 0 else { return true }
    return Double(segment.left) / rate > 0.3
  }
}
