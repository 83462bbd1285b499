// SPDX-License-Identifier: Apache-2.0
//
// HoldWords: what a transfer that waits for its time says about it.
// Holds    reasons of at most 20 cells and words of at most 6.
// Never    asks for the time: the user's clock and the present day are handed in.

import Transfers

extension Hold {
  /// Whether it ends within a day, so that the time alone is clear; unknown days are near.
  private func isNear(_ now: WallTime?) -> Bool {
    now.map { until.seconds - $0.seconds < 86_400 } ?? true
  }

  /// The time it ends, as `22:00` or `24 Oct 22:00`.
  private func end(_ local: LocalClock, _ now: WallTime?) -> String {
    let time = local(until)
    let clock = Figures.timeOfDay(time)
    return isNear(now) ? clock : "\(Figures.date(time)) \(clock)"
  }

  /// For the list.
  func reason(_ local: LocalClock, _ now: WallTime?) -> String {
    let end = end(local, now)
    return switch self.reason {
    case .start: "starts \(end)"
    case .hours: isNear(now) ? "waits until \(end)" : "until \(end)"
    case .quota: isNear(now) ? "quota, until \(end)" : "until \(end)"
    }
  }

  /// For a narrow list: the time or the date.
  func word(_ local: LocalClock, _ now: WallTime?) -> String {
    let end = end(local, now)
    return end.utf8.count <= 6 ? end : Figures.date(local(until))
  }

  /// A sentence, with what can be done.
  func advice(_ local: LocalClock, _ now: WallTime?) -> String {
    "\(told(local, now)). r lets it go on now."
  }

  /// The same in lower case, for a line about it.
  func told(_ local: LocalClock, _ now: WallTime?) -> String {
    let end = end(local, now)
    return switch self.reason {
    case .start: "starts at \(end)"
    case .hours: "waits until \(end), when its hours begin"
    case .quota: "the day's quota is used up, goes on at \(end)"
    }
  }
}
