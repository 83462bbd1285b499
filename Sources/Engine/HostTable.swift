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

import Synchronization
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
  private let hosts: Monitor<[Origin: Host]>
  /// Whether something was learnt that nobody has asked for yet.
  private let hasNews = Atomic(false)

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - cap: Connections to one host at most, 1 or more.
  ///   - known: What an earlier program has learnt.
  ///   - now: The time.
  ///   - wall: The time on the wall.
  init(
    cap: Int,
    known: [KnownHost] = [],
    at now: Moment = Moment(nanoseconds: 0),
    _ wall: WallTime = WallTime(seconds: 0)
  ) {
    self.cap = max(1, cap)
    let clocks = Clocks(now: now, wall: wall)
    var hosts: [Origin: Host] = [:]
    for each in known {
      var host = Host(limit: self.cap)
      if let connections = each.connections {
        host.limit = min(self.cap, connections)
        host.learntAt = clocks.moment(each.learntAt)
      }
      if let until = each.heldUntil { host.heldUntil = clocks.moment(until) }
      hosts[each.origin] = host
    }
    self.hosts = Monitor(hosts)
  }

  /// What is known of hosts, when that has changed since it was asked for last.
  func news(at now: Moment, _ wall: WallTime) -> [KnownHost]? {
    guard hasNews.exchange(false, ordering: .relaxed) else { return nil }
    let clocks = Clocks(now: now, wall: wall)
    return hosts.withLock { hosts in
      hosts.compactMap { origin, host in
        let isLimited = now - host.learntAt <= Self.patience
        let isHeld = host.heldUntil > now
        guard isLimited || isHeld else { return nil }
        return KnownHost(
          origin: origin,
          connections: isLimited ? host.limit : nil,
          learntAt: isLimited ? clocks.wall(host.learntAt) : wall,
          heldUntil: isHeld ? clocks.wall(host.heldUntil) : nil
        )
      }
    }
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
  func grants(_ origins: [Origin], at now: Moment) -> HostGrants {
    HostGrants(origins.map { ($0, grant($0, at: now)) })
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
    hasNews.store(true, ordering: .relaxed)
  }

  /// Notes that a host asks everyone to wait.
  func hold(_ origin: Origin, until moment: Moment) {
    change(origin) { $0.heldUntil = max($0.heldUntil, moment) }
    hasNews.store(true, ordering: .relaxed)
  }

  /// Lets requests go at once, because the user says so.
  func release(_ origin: Origin) {
    change(origin) { $0.heldUntil = Moment(nanoseconds: .min / 2) }
    hasNews.store(true, ordering: .relaxed)
  }

  @discardableResult
  private func change<R>(_ origin: Origin, _ change: (inout Host) -> R) -> R {
    hosts.withLock { change(&$0[origin, default: Host(limit: cap)]) }
  }
}

/// The two clocks at one moment, to go from one to the other.
private struct Clocks {
  let now: Moment
  let wall: WallTime

  func moment(_ time: WallTime) -> Moment { now + .seconds(time.seconds - wall.seconds) }

  func wall(_ moment: Moment) -> WallTime {
    WallTime(seconds: wall.seconds + Int64((moment - now).inSeconds.rounded(.up)))
  }
}
