// SPDX-License-Identifier: Apache-2.0
//
// DayMeter: counts the bytes of bodies that all transfers receive in a day, and ends at the quota.
//
// Rules    Each byte is reserved before it is taken, so that the quota is kept to the byte. Another
//          day begins when somebody looks and the user's clock shows one, an earlier one included.
// Threads  any; one atomic addition a chunk, a lock only to look at the day.

import Synchronization
import Transfers
import Workers

/// What was received today.
final class DayMeter: Sendable {
  /// The most bytes of a day; nil for no quota.
  let quota: ByteCount?
  private let received: Atomic<Int64>
  private let day: Monitor<Int>
  /// What was told last.
  private let told: Monitor<DayUsage?>

  /// Goes on with what the session remembers, if anything.
  init(quota: ByteCount?, used: DayUsage?) {
    self.quota = quota
    received = Atomic(used?.received.bytes ?? 0)
    day = Monitor(used?.day ?? .min)
    told = Monitor(used)
  }

  /// Reserves bytes that are about to be taken.
  ///
  /// - Parameters:
  ///   - count: How many are wanted.
  ///   - isForced: Whether the quota does not matter.
  /// - Returns: How many may be taken.
  func reserve(_ count: Int, isForced: Bool) -> Int {
    let after = received.wrappingAdd(Int64(count), ordering: .relaxed).newValue
    guard let quota, !isForced, after > quota.bytes else { return count }
    let granted = max(0, count - Int(min(Int64(count), after - quota.bytes)))
    giveBack(count - granted)
    return granted
  }

  /// Gives back what was reserved but not taken.
  func giveBack(_ count: Int) {
    if count > 0 { received.wrappingSubtract(Int64(count), ordering: .relaxed) }
  }

  /// Whether nothing more may be received today.
  var isUsedUp: Bool {
    quota.map { received.load(ordering: .relaxed) >= $0.bytes } ?? false
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
        received.store(0, ordering: .relaxed)
      }
      return DayUsage(day: day, received: ByteCount(received.load(ordering: .relaxed)))
    }
  }
}
