// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine, schedule: transfers that wait for their time, their hours, or another day's bytes.
//
// Rules    A queued transfer whose time it is not becomes paused with the reason; a run whose time
//          is over is stopped with it. The heartbeat looks again and lets it go on by itself. What
//          the user lets go on all the same runs to its end without being asked again.
// Threads  any.

import Transfers
import Workers

extension TransferEngine {
  /// The longest time between two looks while nothing runs: a clock may be put right meanwhile.
  static let longestRest = Duration.seconds(60)

  /// Why a transfer with that schedule must not run now; nil when it may.
  func hold(_ schedule: Schedule) -> Hold? {
    let (clock, now) = (settings.clock, settings.clock.wall())
    if let hold = schedule.hold(at: now, local: clock.local) { return hold }
    meter.look(clock.local(now).dayNumber)
    guard meter.isUsedUp else { return nil }
    return Hold(.quota, until: .nextDay(after: now, local: clock.local))
  }

  /// Lets a queued transfer wait when it is not its time.
  ///
  /// - Returns: Whether it waits.
  func holdBack(_ id: TransferID) -> Bool {
    guard let schedule = table.withLock({ $0.scheduleOfQueued(id) }), let hold = hold(schedule)
    else { return false }
    return apply(id, .paused(.scheduled(hold)))
  }

  /// Looks at those that wait and at those whose time may be over.
  func followSchedules(_ entries: [TransferEntry]) {
    for entry in entries where !entry.isForced {
      let hold = hold(entry.transfer.request.schedule)
      if let run = entry.run {
        if let hold { run.stop(.scheduled(hold)) }
      } else if case .paused(.scheduled(let known)) = entry.transfer.state {
        follow(entry.transfer.id, known, hold)
      }
    }
  }

  /// Goes on, or tells that it is to wait for something else now.
  private func follow(_ id: TransferID, _ known: Hold, _ hold: Hold?) {
    guard let hold else { return goOn([id]) }
    if hold != known { apply(id, .paused(.scheduled(hold))) }
  }

  /// Notes that the user lets it run whatever its schedule says.
  func force(_ id: TransferID) {
    _ = table.withLock { table in
      table.update(id) { entry in
        if entry.transfer.state.waitsForTime { entry.isForced = true }
      }
    }
  }

  /// When to look again: soon while something runs, else when the next wait ends.
  func nextLook(_ entries: [TransferEntry]) -> Duration? {
    let waits = entries.filter { $0.run == nil }.compactMap(\.transfer.state.hold)
    guard waits.count == entries.count, let first = waits.map(\.until).min() else {
      return entries.isEmpty ? nil : Heartbeat.interval
    }
    let rest = Duration.seconds(first.seconds - settings.clock.wall().seconds)
    return max(Heartbeat.interval, min(rest, Self.longestRest))
  }
}

extension TransferState {
  /// What it waits for, when that is a time.
  var hold: Hold? {
    if case .paused(.scheduled(let hold)) = self { hold } else { nil }
  }

  /// Whether it goes on by itself when its time has come.
  var waitsForTime: Bool { hold != nil }
}
