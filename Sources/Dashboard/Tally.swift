// SPDX-License-Identifier: Apache-2.0
//
// Tally: the sums in the header, kept up to date row by row instead of counted anew.
// Holds    the sum of all shares added and not taken away.
// Never    looks at more than the row that changed.

import Transfers

/// The kinds of states that are counted together.
enum Group: Int, CaseIterable, Sendable {
  case active, waiting, paused, failed, done, cancelled

  init(_ state: TransferState) {
    switch state {
    case .connecting, .downloading, .stalled, .waitingForRetry, .verifying: self = .active
    case .queued, .paused(.scheduled): self = .waiting
    case .paused(.byUser), .paused(.diskFull): self = .paused
    case .failed: self = .failed
    case .finished: self = .done
    case .cancelled: self = .cancelled
    }
  }

  /// The word after a number in the header.
  var word: String {
    switch self {
    case .active: "active"
    case .waiting: "waiting"
    case .paused: "paused"
    case .failed: "failed"
    case .done: "done"
    case .cancelled: "removed"
    }
  }

  /// The word where there is little room.
  var shortWord: String {
    switch self {
    case .active: "act"
    case .waiting: "wait"
    case .paused: "paused"
    case .failed: "fail"
    case .done: "done"
    case .cancelled: "gone"
    }
  }
}

/// What one row adds to the sums.
struct Share: Hashable, Sendable {
  let group: Group
  /// Bytes there of what is known in size and has not failed.
  var received: ByteCount = 0
  /// The sizes of the same.
  var total: ByteCount = 0
  /// Bytes still to come of what is active or waiting.
  var rest: ByteCount = 0

  init(_ row: Row) {
    group = Group(row.state)
    guard let total = row.total, group != .failed, group != .cancelled else { return }
    self.total = total
    received = min(total, group == .done ? total : row.received)
    if group == .active || group == .waiting { rest = total - received }
  }
}

/// Sums over all rows.
struct Tally: Hashable, Sendable {
  private var counts = [Int](repeating: 0, count: Group.allCases.count)
  private(set) var received: ByteCount = 0
  private(set) var total: ByteCount = 0
  private(set) var restOfActive: ByteCount = 0
  private(set) var restOfWaiting: ByteCount = 0

  /// The number of rows in a group.
  subscript(group: Group) -> Int { counts[group.rawValue] }

  /// The bytes to come of all that runs or will run by itself.
  var rest: ByteCount { restOfActive + restOfWaiting }

  mutating func add(_ share: Share) {
    counts[share.group.rawValue] += 1
    received += share.received
    total += share.total
    if share.group == .active { restOfActive += share.rest } else { restOfWaiting += share.rest }
  }

  mutating func remove(_ share: Share) {
    counts[share.group.rawValue] -= 1
    received = received - share.received
    total = total - share.total
    if share.group == .active {
      restOfActive = restOfActive - share.rest
    } else {
      restOfWaiting = restOfWaiting - share.rest
    }
  }
}
