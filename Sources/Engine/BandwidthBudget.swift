// SPDX-License-Identifier: Apache-2.0
//
// BandwidthBudget: keeps all connections together below a rate, with equal shares for the transfers.
//
// Rules    Bytes that have arrived are taken only when they are granted. Whoever gets less than it
//          wants is *waiting*, and what the rate brings is divided evenly among the transfers that
//          wait, and within each among its connections; each saves up its part until it asks again.
//          Whoever did not come for its part within a tenth of a second loses it to the pool, from
//          which everyone may take: so a transfer that wants less leaves the rest to the others.
//          What a server sends before any of it is taken counts when it is sent: a connection begins
//          with a debt of so much, and the last so many bytes of its answer need no grant.
// Formula  savings of a connection ≤ 0.1 s of its part, pool ≤ 0.1 s of the rate: in any second at
//          most 1.2 × the rate is granted.
//          Example: 3 MB/s, three transfers wait, one with two connections: 1 MB/s each, and those
//          two 0.5 MB/s each.
// Threads  any; one lock, held for a few instructions, and none at all while there is no limit.

import Synchronization
import Transfers
import Workers

/// Who asks: a connection of a transfer.
struct Claimant: Hashable {
  let transfer: TransferID
  let connection: Int
}

/// How much of what was asked for may be taken now.
struct Grant: Hashable {
  /// The bytes granted, 0 or more.
  var bytes: Int
  /// When they are not all: how long to read nothing before the rest is asked for again.
  var pause: Duration
}

/// A rate shared by everyone who asks it.
final class BandwidthBudget: Sendable {
  private let isLimited: Atomic<Bool>
  private let state: Monitor<SharedRate>

  /// Makes a budget; nil means no limit.
  init(rate: ByteRate?) {
    isLimited = Atomic(rate != nil)
    state = Monitor(SharedRate(rate: rate))
  }

  /// The rate, nil for none; may be changed at any time, and whoever waits notices within a 20th of
  /// a second.
  var rate: ByteRate? {
    get { state.withLock { $0.rate } }
    set {
      state.withLock { if $0.rate != newValue { $0 = SharedRate(rate: newValue) } }
      isLimited.store(newValue != nil, ordering: .relaxed)
    }
  }

  /// Asks for bytes that have arrived.
  ///
  /// - Parameters:
  ///   - wanted: How many there are, at least 1.
  ///   - claimant: Who asks.
  ///   - now: The time.
  /// - Returns: How many may be taken.
  func take(_ wanted: Int, for claimant: Claimant, at now: Moment) -> Grant {
    guard isLimited.load(ordering: .relaxed) else { return Grant(bytes: wanted, pause: .zero) }
    return state.withLock { $0.take(wanted, for: claimant, at: now) }
  }

  /// Counts what a server sends ahead of what is taken; the connection gets nothing until it is paid.
  func owe(_ count: Int, for claimant: Claimant, at now: Moment) {
    guard count > 0, isLimited.load(ordering: .relaxed) else { return }
    state.withLock { $0.owe(Double(count), for: claimant, at: now) }
  }

  /// Takes back what was granted but could not be used.
  func giveBack(_ count: Int, from claimant: Claimant) {
    guard count > 0, isLimited.load(ordering: .relaxed) else { return }
    state.withLock { $0.save(Double(count), for: claimant) }
  }
}

/// The arithmetic of a budget.
private struct SharedRate {
  /// A connection that did not get all it wanted.
  struct Waiting {
    /// Its part so far, in bytes; below 0 while it owes some.
    var saved: Double
    /// When its part goes to the others unless it has asked again.
    var until: Moment
  }

  let rate: ByteRate?
  private var pool = 0.0
  private var refilledAt = Moment(nanoseconds: .min / 2)
  private var waiting: [Claimant: Waiting] = [:]
  /// How many connections of each transfer wait.
  private var connections: [TransferID: Int] = [:]

  /// What may be saved up, as a time.
  private static let saving = 0.1
  /// The longest pause; a change of the rate is noticed after it.
  private static let longest = 0.05
  /// Less is not worth waking up for, unless it takes longer than the longest pause.
  private static let worthwhile = 64.0 * 1024

  init(rate: ByteRate?) {
    self.rate = rate
  }

  private var perSecond: Double { Double(rate?.bytesPerSecond ?? 0) }

  mutating func take(_ wanted: Int, for claimant: Claimant, at now: Moment) -> Grant {
    guard rate != nil else { return Grant(bytes: wanted, pause: .zero) }
    refill(at: now)
    let saved = waiting[claimant]?.saved ?? 0
    let granted = max(0, min(wanted, Int(saved + pool)))
    let fromPool = granted > 0 ? max(0, Double(granted) - saved) : 0
    pool -= fromPool
    waiting[claimant]?.saved -= Double(granted) - fromPool
    guard granted < wanted else { return Grant(bytes: granted, pause: .zero) }
    return Grant(bytes: granted, pause: wait(for: wanted - granted, claimant, now))
  }

  mutating func owe(_ count: Double, for claimant: Claimant, at now: Moment) {
    guard rate != nil else { return }
    refill(at: now)
    let paid = min(count, max(0, pool))
    pool -= paid
    join(claimant, now)
    waiting[claimant]?.saved -= count - paid
    waiting[claimant]?.until = now + .seconds(Self.longest + Self.saving)
  }

  mutating func save(_ count: Double, for claimant: Claimant) {
    if waiting[claimant] == nil { pool += count } else { waiting[claimant]?.saved += count }
  }

  /// Lets a connection wait; how long until it is worth asking again.
  private mutating func wait(for missing: Int, _ claimant: Claimant, _ now: Moment) -> Duration {
    join(claimant, now)
    let part = part(of: claimant.transfer)
    let useful = max(Double(missing), Self.worthwhile)
    let pause = Duration.seconds(max(0.001, min(Self.longest, useful / part)))
    waiting[claimant]?.until = now + pause + .seconds(Self.saving)
    return pause
  }

  private mutating func join(_ claimant: Claimant, _ now: Moment) {
    guard waiting[claimant] == nil else { return }
    waiting[claimant] = Waiting(saved: 0, until: now)
    connections[claimant.transfer, default: 0] += 1
  }

  /// Bytes per second for each waiting connection of a transfer.
  private func part(of transfer: TransferID) -> Double {
    perSecond / Double(max(1, connections.count)) / Double(max(1, connections[transfer] ?? 1))
  }

  /// Hands out what the rate has brought since the last time.
  private mutating func refill(at now: Moment) {
    let elapsed = (now - refilledAt).inSeconds
    guard elapsed > 0.0001 else { return }
    refilledAt = now
    forgetAbsent(at: now)
    if waiting.isEmpty { pool += perSecond * elapsed }
    for index in waiting.values.indices {
      let part = part(of: waiting.keys[index].transfer)
      let saved = waiting.values[index].saved + part * elapsed
      let kept = min(saved, max(1, part * Self.saving))
      waiting.values[index].saved = kept
      pool += saved - kept
    }
    pool = min(pool, max(1, perSecond * Self.saving))
  }

  private mutating func forgetAbsent(at now: Moment) {
    for (claimant, entry) in waiting where entry.until < now {
      pool += entry.saved
      waiting[claimant] = nil
      let left = (connections[claimant.transfer] ?? 1) - 1
      connections[claimant.transfer] = left > 0 ? left : nil
    }
  }
}
