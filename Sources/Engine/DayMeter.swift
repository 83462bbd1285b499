// SPDX-License-Identifier: Apache-2.0
//
// DayMeter: counts the bytes of bodies that all transfers receive in a day, and ends at the quota.
//
// Rules    Each byte is reserved before it is taken, so that the quota is kept to the byte, and
//          counts as received once it was taken: the quota is used up when its last byte has its
//          place, not when somebody is about to write it. Another day begins when somebody looks
//          and the user's clock shows one, an earlier one included.
// Threads  any; two atomic changes a chunk, a lock only to look at the day.

import Synchronization
import Transfers
import Workers

/// What was received today.
final class DayMeter: Sendable {
  /// The most bytes of a day; nil for no quota.
  let quota: ByteCount?
  /// What was taken and what is about to be; never above the quota, unless forced.
  private let reserved: Atomic<Int64>
  private let received: Atomic<Int64>
  private let day: Monitor<Int>
  /// What was told last.
  private let told: Monitor<DayUsage?>

  /// Goes on with what the session remembers, if anything.
  init(quota: ByteCount?, used: DayUsage?) {
    self.quota = quota
    reserved = Atomic(used?.received.bytes ?? 0)
    received = Atomic(used?.received.bytes ?? 0)
    day = Monitor(used?.day ?? .min)
    told = Monitor(used)
  }

  /// Reserves bytes that are about to be taken; each of them is to be given back or taken.
  ///
  /// - Parameters:
  ///   - count: How many are wanted.
  ///   - isForced: Whether the quota does not matter.
  /// - Returns: How many may be taken.
  func reserve(_ count: Int, isForced: Bool) -> Int {
    guard let quota, !isForced else {
      reserved.wrappingAdd(Int64(count), ordering: .relaxed)
      return count
    }
    var before = reserved.load(ordering: .relaxed)
    while true {
      let granted = min(Int64(count), max(0, quota.bytes - before))
      let (done, now) = reserved.weakCompareExchange(
        expected: before,
        desired: before + granted,
        ordering: .relaxed
      )
      if done { return Int(granted) }
      before = now
    }
  }

  /// Gives back what was reserved but is not taken.
  func giveBack(_ count: Int) {
    if count > 0 { reserved.wrappingSubtract(Int64(count), ordering: .relaxed) }
  }

  /// Counts what was reserved and has been taken.
  func took(_ count: Int) {
    received.wrappingAdd(Int64(count), ordering: .releasing)
  }

  /// Whether nothing more may be received today.
  var isUsedUp: Bool {
    quota.map { received.load(ordering: .acquiring) >= $0.bytes } ?? false
  }

  /// The usage of the day when it is worth remembering: something was received since the last time.
  func news(_ today: Int) -> DayUsage? {
    let usage = look(today)
    return told.withLock { told in
      guard usage.received > 0, usage != told else { return nil }
      told = usage
      return usage
    }
  }

  /// Looks at the day; begins at zero when it is another one.
  ///
  /// - Parameter today: Days since 1970-01-01 on the user's calendar.
  /// - Returns: The usage of the day.
  @discardableResult
  func look(_ today: Int) -> DayUsage {
    day.withLock { day in
      if day != today {
        day = today
        reserved.store(0, ordering: .relaxed)
        received.store(0, ordering: .relaxed)
      }
      return DayUsage(day: day, received: ByteCount(received.load(ordering: .relaxed)))
    }
  }
}
