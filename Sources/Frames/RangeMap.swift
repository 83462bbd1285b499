// SPDX-License-Identifier: Apache-2.0
//
// The map of a file's ranges: one cell for each equal slice of it.
// A slice shows the least complete state found in it, so a hole is never hidden.
// Pure, any thread; it knows nothing of segments, only of offsets.

/// The map of a file's ranges.
public struct RangeMap: Hashable, Sendable {
  /// How complete a slice is, least first.
  public enum State: Int, Hashable, Sendable, CaseIterable {
    /// Some of it is neither done nor being fetched.
    case toDo
    /// All of it is done or being fetched.
    case active
    /// All of it is done.
    case done
  }

  /// Bytes of the whole file; 0 if unknown.
  public let length: Int64
  private let done: [Range<Int64>]
  private let known: [Range<Int64>]

  /// Creates a map.
  ///
  /// - Parameters:
  ///   - length: Bytes of the whole file.
  ///   - done: What is done, in any order; overlaps are allowed.
  ///   - active: What is being fetched, in any order; where it overlaps `done` it is done.
  public init(length: Int64, done: [Range<Int64>], active: [Range<Int64>] = []) {
    self.length = max(0, length)
    self.done = Self.joined(done)
    self.known = Self.joined(done + active)
  }

  /// The states of `width` equal slices; all to do if the length is unknown.
  public func states(width: Int) -> [State] {
    (0..<max(0, width)).map { index in
      guard length > 0 else { return .toDo }
      let slice = slice(index, of: width)
      if Self.covers(done, slice) { return .done }
      return Self.covers(known, slice) ? .active : .toDo
    }
  }

  /// The map as text, exactly `width` columns.
  public func text(width: Int, _ glyphs: Glyphs) -> String {
    states(width: width).reduce("") { text, state in
      switch state {
      case .toDo: text + glyphs.mapToDo
      case .active: text + glyphs.mapActive
      case .done: text + glyphs.mapDone
      }
    }
  }

  /// The bytes of one slice, at least one even if there are more cells than bytes.
  private func slice(_ index: Int, of width: Int) -> Range<Int64> {
    let start = Int64(scaled(Int64(index), to: length, of: Int64(width)))
    let end = Int64(scaled(Int64(index) + 1, to: length, of: Int64(width)))
    return start..<max(end, start + 1)
  }

  /// The ranges in order, with those that touch made one.
  private static func joined(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
    let sorted = ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }
    return sorted.reduce(into: []) { joined, range in
      if let last = joined.last, last.upperBound >= range.lowerBound {
        joined[joined.count - 1] =
          last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        joined.append(range)
      }
    }
  }

  /// Whether one of the ordered ranges holds all of a slice.
  private static func covers(_ ranges: [Range<Int64>], _ slice: Range<Int64>) -> Bool {
    var low = 0
    var high = ranges.count
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].lowerBound <= slice.lowerBound { low = middle + 1 } else { high = middle }
    }
    return low > 0 && ranges[low - 1].upperBound >= slice.upperBound
  }
}
