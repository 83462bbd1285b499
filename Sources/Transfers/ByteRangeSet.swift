// SPDX-License-Identifier: Apache-2.0
//
// ByteRangeSet: which bytes of a file are there.
//
// Holds    disjoint, non-empty ranges in rising order; ranges that touch are joined.
// Never    larger than the number of holes plus one, so a few dozen entries in practice.

/// A set of bytes, kept as sorted ranges with a gap between any two.
public struct ByteRangeSet: Hashable, Sendable {
  /// The ranges, in rising order; no two touch.
  public private(set) var ranges: [ByteRange] = []

  /// Makes an empty set.
  public init() {}

  /// Makes a set from ranges in any order, overlapping or not.
  public init(_ ranges: [ByteRange]) {
    for range in ranges { insert(range) }
  }

  /// Number of bytes in the set.
  public var count: Int64 { ranges.reduce(0) { $0 + $1.count } }

  /// Whether no byte is in the set.
  public var isEmpty: Bool { ranges.isEmpty }

  /// Whether every byte of `range` is in the set.
  public func contains(_ range: ByteRange) -> Bool {
    range.isEmpty || ranges.contains { $0.lower <= range.lower && range.upper <= $0.upper }
  }

  /// Whether any byte of `range` is in the set.
  public func touches(_ range: ByteRange) -> Bool {
    ranges.contains { $0.intersection(range) != nil }
  }

  /// Adds every byte of `range`.
  public mutating func insert(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    let first = ranges.firstIndex { $0.upper >= range.lower } ?? ranges.endIndex
    let last = ranges[first...].firstIndex { $0.lower > range.upper } ?? ranges.endIndex
    let touched = ranges[first..<last]
    let lower = min(range.lower, touched.first?.lower ?? range.lower)
    let upper = max(range.upper, touched.last?.upper ?? range.upper)
    ranges.replaceSubrange(first..<last, with: [ByteRange(lower, upper)])
  }

  /// Takes every byte of `range` out.
  public mutating func remove(_ range: ByteRange) {
    guard !range.isEmpty else { return }
    ranges = ranges.flatMap { kept -> [ByteRange] in
      guard kept.intersection(range) != nil else { return [kept] }
      let before = ByteRange(kept.lower, max(kept.lower, range.lower))
      let after = ByteRange(min(kept.upper, range.upper), kept.upper)
      return [before, after].filter { !$0.isEmpty }
    }
  }

  /// What is missing of `whole`, in rising order.
  public func gaps(in whole: ByteRange) -> [ByteRange] {
    var gaps: [ByteRange] = []
    var from = whole.lower
    for range in ranges where range.upper > whole.lower && range.lower < whole.upper {
      if range.lower > from { gaps.append(ByteRange(from, range.lower)) }
      from = max(from, range.upper)
    }
    if from < whole.upper { gaps.append(ByteRange(from, whole.upper)) }
    return gaps
  }
}

extension ByteRangeSet {
  /// The set as text, such as `0-1048576,2097152-3145728`; the end of each range is excluded.
  public var text: String {
    ranges.map { "\($0.lower)-\($0.upper)" }.joined(separator: ",")
  }

  /// Reads what `text` wrote; nil when it is anything else, be it only the order of the ranges.
  public init?(text: String) {
    var parsed: [ByteRange] = []
    for part in text.split(separator: ",") {
      let ends = part.split(separator: "-", omittingEmptySubsequences: false)
      guard ends.count == 2, let lower = Int64(ends[0]), let upper = Int64(ends[1]),
        0 <= lower, lower < upper
      else { return nil }
      parsed.append(ByteRange(lower, upper))
    }
    self.init(parsed)
    guard self.text == text else { return nil }
  }
}
