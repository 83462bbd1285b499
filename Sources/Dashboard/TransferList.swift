// SPDX-License-Identifier: Apache-2.0
//
// TransferList: all rows in queue order, found by place and by identity, with their sums.
// Holds    a place for each identity and a tally that agree with the rows after every change.
// Cost     one row: constant; removing any number: one pass over the list.
// Never    sorts: the order is the queue's.

import Transfers

/// The rows in queue order.
struct TransferList: Sendable {
  private var rows: [Row] = []
  private var places: [TransferID: Int] = [:]
  private var isQueued: [Bool] = []
  private var links: [String: [TransferID]] = [:]
  private(set) var tally = Tally()

  var count: Int { rows.count }
  var isEmpty: Bool { rows.isEmpty }
  var first: Row? { rows.first }

  /// The row at a place, from 0.
  subscript(place: Int) -> Row { rows[place] }

  /// The row of a transfer, nil when it is not in the list.
  subscript(id: TransferID) -> Row? { places[id].map { rows[$0] } }

  /// Where a transfer stands, from 0.
  func place(of id: TransferID) -> Int? { places[id] }

  /// The transfers that have this link as their first.
  func transfers(with link: Link) -> [TransferID] { links[link.text] ?? [] }

  /// The identities of the rows that pass a test, in queue order.
  func ids(where test: (Row) -> Bool) -> [TransferID] {
    rows.lazy.filter(test).map(\.id)
  }

  /// How many of the first `place` rows wait for their turn.
  func waiting(before place: Int) -> Int {
    isQueued[..<place].reduce(0) { $0 + ($1 ? 1 : 0) }
  }

  /// Changes one row in place; nothing happens when there is none.
  mutating func change(_ id: TransferID, _ body: (inout Row) -> Void) {
    guard let place = places[id] else { return }
    tally.remove(Share(rows[place]))
    body(&rows[place])
    isQueued[place] = rows[place].state == .queued
    tally.add(Share(rows[place]))
  }

  /// Takes a transfer: in its place if it is known, else at the end.
  mutating func take(_ transfer: Transfer, now: Moment) {
    guard let place = places[transfer.id] else { return append(Row(transfer, now: now)) }
    let old = rows[place].transfer.request.link.text
    if old != transfer.request.link.text {
      unlink(transfer.id, from: old)
      links[transfer.request.link.text, default: []].append(transfer.id)
    }
    change(transfer.id) { $0.take(transfer, now: now) }
  }

  /// Takes rows out.
  mutating func remove(_ ids: Set<TransferID>) {
    for id in ids {
      guard let row = self[id] else { continue }
      tally.remove(Share(row))
      unlink(id, from: row.transfer.request.link.text)
    }
    rows.removeAll { ids.contains($0.id) }
    isQueued = rows.map { $0.state == .queued }
    places.removeAll(keepingCapacity: true)
    for (place, row) in rows.enumerated() { places[row.id] = place }
  }

  private mutating func append(_ row: Row) {
    places[row.id] = rows.count
    rows.append(row)
    isQueued.append(row.state == .queued)
    links[row.transfer.request.link.text, default: []].append(row.id)
    tally.add(Share(row))
  }

  private mutating func unlink(_ id: TransferID, from text: String) {
    links[text]?.removeAll { $0 == id }
    if links[text]?.isEmpty == true { links[text] = nil }
  }
}
