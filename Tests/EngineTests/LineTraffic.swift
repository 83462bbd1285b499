// SPDX-License-Identifier: Apache-2.0
//
// LineTraffic: which bytes the exchanges of a LineRun have asked for, and which came.
//
//   requested   what the request's line named; the first names everything
//   wanted      up to where the exchange would have gone when it ended: below its segment's end, where
//               its connection is closed, whatever the server goes on with
//   came        what arrived, also behind that end

import Transfers

@testable import Engine

/// The bytes of a run, exchange by exchange.
struct LineTraffic {
  private(set) var requested: [ByteRange] = []
  private(set) var wanted: [ByteRange] = []
  var came: [ByteRange] = []
  /// By how many exchanges at once a byte was still awaited, at most.
  private(set) var mostAtOnce = 0

  /// How many bytes came behind where their exchanges ended.
  var surplus: Int64 { Self.sum(came) - Self.sum(wanted) }

  private static func sum(_ ranges: [ByteRange]) -> Int64 {
    ranges.reduce(0) { $0 + $1.count }
  }

  /// Takes a moment of the run.
  mutating func look(at plan: SegmentPlan) {
    let awaited = plan.segments.values.map { ByteRange($0.claimed, max($0.claimed, $0.upper)) }
    mostAtOnce = max(mostAtOnce, Self.depth(of: awaited))
  }

  /// Takes the end of an exchange.
  mutating func ended(_ request: ByteRange, as segment: Segment?, of size: Int64) {
    requested.append(ByteRange(request.lower, min(request.upper, size)))
    let end = min(segment?.upper ?? request.lower, size)
    wanted.append(ByteRange(request.lower, max(request.lower, end)))
  }

  /// In how many ranges the byte lies that lies in most.
  static func depth(of ranges: [ByteRange]) -> Int {
    let edges = ranges.flatMap { $0.isEmpty ? [] : [($0.lower, 1), ($0.upper, -1)] }
    let sorted = edges.sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    var depth = 0
    return sorted.reduce(0) { most, edge in
      depth += edge.1
      return max(most, depth)
    }
  }
}
