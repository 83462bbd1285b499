// SPDX-License-Identifier: Apache-2.0
//
// ReservedNames: names that files of this program are to have, and do not have on the disk yet.
//
// Holds    a path is reserved for one file at a time, until that has a name or is gone.
// Threads  any.

import Synchronization
import Workers

/// Paths that are spoken for.
final class ReservedNames: Sendable {
  private let paths = Monitor<Set<String>>([])

  /// Reserves a path.
  ///
  /// - Returns: What gives it free again, when called or let go; nil when it is reserved already.
  func reserve(_ path: String) -> (@Sendable () -> Void)? {
    guard paths.withLock({ $0.insert(path).inserted }) else { return nil }
    let reservation = Reservation(path, in: self)
    return { reservation.end() }
  }

  fileprivate func release(_ path: String) {
    paths.withLock { _ = $0.remove(path) }
  }
}

/// A reserved path.
///
/// It ends once: by then others may have reserved the same.
private final class Reservation: Sendable {
  private let path: String
  private let names: ReservedNames
  private let isOver = Atomic(false)

  init(_ path: String, in names: ReservedNames) {
    self.path = path
    self.names = names
  }

  deinit { end() }

  func end() {
    if !isOver.exchange(true, ordering: .acquiringAndReleasing) { names.release(path) }
  }
}
