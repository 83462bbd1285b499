// SPDX-License-Identifier: Apache-2.0
//
// Row: one transfer as the dashboard holds it: the engine's value, and what belongs to its showing.
// Holds    the engine's state untouched; `pending` only says what was asked and not yet answered.
// Never    invents a state.

import Transfers

/// What the user asked for and the engine has not answered yet.
enum Pending: Hashable, Sendable {
  case pausing
  case removing
}

/// One transfer of the list.
struct Row: Sendable {
  private(set) var transfer: Transfer
  /// Figures while it runs.
  private(set) var live: Live?
  /// What was asked and not yet answered.
  var pending: Pending?
  /// When its state was last seen to change.
  private(set) var since: Moment
  private var claimed: ByteCount

  init(_ transfer: Transfer, now: Moment) {
    self.transfer = transfer
    since = now
    claimed = transfer.received
  }

  var id: TransferID { transfer.id }
  var state: TransferState { transfer.state }
  var total: ByteCount? { transfer.total }

  /// Bytes on disk for the numbers: by the newest sample while it runs.
  var received: ByteCount { live?.sample.received ?? claimed }

  /// What the bar and the percent show: done and whole, equal at the end; nil while not known.
  var progress: (done: ByteCount, whole: ByteCount)? {
    if case .finished = state { return (total ?? 1, total ?? 1) }
    guard let total else { return nil }
    return (live?.barBytes ?? claimed, total)
  }

  /// Bytes still to come, when known.
  var rest: ByteCount? { total.map { $0 - received } }

  /// The bytes on disk as ranges, by the newest sample while it runs.
  var have: ByteRangeSet { live?.sample.have ?? transfer.have }

  /// Whether its server's certificate is not looked at.
  var isInsecure: Bool {
    switch transfer.request.trust {
    case .anything: transfer.request.mirrors.contains { $0.origin.scheme.hasCertificate }
    case .system, .file: false
    }
  }

  /// Takes the engine's newer value.
  mutating func take(_ newer: Transfer, now: Moment) {
    if newer.state != transfer.state { since = now }
    transfer = newer
    claimed = newer.received
    if !newer.state.isActive {
      live = nil
      if pending == .pausing { pending = nil }
    }
  }

  /// Takes a sample; one that comes too late, after the transfer stopped, is dropped.
  mutating func take(_ sample: TransferSample, now: Moment) {
    guard state.isActive else { return }
    if live == nil { live = Live(sample, now: now) }
    live?.take(sample, now: now)
  }

  /// Moves the bar alone, and tells whether it moved.
  mutating func moveBar(_ sample: TransferSample, now: Moment) -> Bool {
    guard state.isActive else { return false }
    guard live != nil else {
      live = Live(sample, now: now)
      return true
    }
    return live?.moveBar(sample) ?? false
  }
}
