// SPDX-License-Identifier: Apache-2.0
//
// Move: the ways to move through a list or a text, the same on every screen.

/// A way to move.
enum Move: Hashable, Sendable {
  case down, up, halfDown, halfUp, pageDown, pageUp, first, last

  /// The place after the move, held to 0 ..< `count`.
  ///
  /// - Parameters:
  ///   - place: Where it starts, from 0.
  ///   - count: How many places there are.
  ///   - page: How many of them are seen at once.
  /// - Returns: The new place; 0 when there are none.
  func from(_ place: Int, count: Int, page: Int) -> Int {
    let page = max(1, page)
    let target =
      switch self {
      case .down: place + 1
      case .up: place - 1
      case .halfDown: place + max(1, page / 2)
      case .halfUp: place - max(1, page / 2)
      case .pageDown: place + page
      case .pageUp: place - page
      case .first: 0
      case .last: count - 1
      }
    return max(0, min(target, count - 1))
  }
}
