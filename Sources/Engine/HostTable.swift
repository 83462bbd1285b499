// SPDX-License-Identifier: Apache-2.0
//
// HostTable: what each host takes, over all transfers together.
//
// Rules    A host gets at most `cap` connections, shared evenly by the runs that use it, at least
//          one each. When it refuses one more while others work, what works is its limit from then
//          on; after `patience` one more is tried. When it asks to wait, every run waits.
//          Example: cap 8, three runs: two connections each; the host then refuses the sixth: five
//          in all, one each, since a share is rounded down.
// Threads  any; one lock, held for a few instructions.

import Transfers
import Workers

/// What a host grants one run at one moment.
struct HostGrant: Hashable {
  /// Connections the run may have, 1 or more.
  var share: Int
  /// No request is sent before.
  var heldUntil: Moment

  /// A host that sets no bounds.
  static let unbounded = HostGrant(share: .max, heldUntil: Moment(nanoseconds: .min))
}

/// Connections and pauses of hosts.
final class HostTable: Sendable {
  private struct Host {
    /// Runs that use it.
    var runs = 0
    /// The most connections it has shown to take.
    var limit: Int
    /// When the limit was learnt.
    var learntAt = Moment(nanoseconds: .min / 2)
    /// No request is sent before.
    var heldUntil = Moment(nanoseconds: .min / 2)
  }

  /// How long a limit is believed.
  static let patience = Duration.seconds(300)

  private let cap: Int
  private let hosts = Monitor<[Origin: Host]>([:])

  /// Makes a table.
  ///
  /// - Parameter cap: Connections to one host at most, 1 or more.
  init(cap: Int) {
    self.cap = max(1, cap)
  }

  /// Notes that a run begins to use a host.
  func join(_ origin: Origin) {
    change(origin) { $0.runs += 1 }
  }

  /// Notes that a run has left a host.
  func leave(_ origin: Origin) {
    change(origin) { $0.runs = max(0, $0.runs - 1) }
  }

  /// What one of the host's runs may do now.
  func grant(_ origin: Origin, at now: Moment) -> HostGrant {
    change(origin) { host in
      if now - host.learntAt > Self.patience { host.limit = cap }
      return HostGrant(share: max(1, host.limit / max(1, host.runs)), heldUntil: host.heldUntil)
    }
  }

  /// What one of the runs on these hosts may do now, host by host.
  func grants(_ origins: Set<Origin>, at now: Moment) -> [Origin: HostGrant] {
    Dictionary(uniqueKeysWithValues: origins.map { ($0, grant($0, at: now)) })
  }

  /// Notes that a host refused a connection while others worked.
  ///
  /// - Parameters:
  ///   - origin: The host.
  ///   - working: How many connections of the run that was refused still work, 1 or more.
  ///   - now: The time.
  func refused(_ origin: Origin, working: Int, at now: Moment) {
    change(origin) { host in
      host.limit = max(1, min(host.limit, working * max(1, host.runs)))
      host.learntAt = now
    }
  }

  /// Notes that a host asks everyone to wait.
  func hold(_ origin: Origin, until moment: Moment) {
    change(origin) { $0.heldUntil = max($0.heldUntil, moment) }
  }

  /// Lets requests go at once, because the user says so.
  func release(_ origin: Origin) {
    change(origin) { $0.heldUntil = Moment(nanoseconds: .min / 2) }
  }

  @discardableResult
  private func change<R>(_ origin: Origin, _ change: (inout Host) -> R) -> R {
    hosts.withLock { change(&$0[origin, default: Host(limit: cap)]) }
  }
}
