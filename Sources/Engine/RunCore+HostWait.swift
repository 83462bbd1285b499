// SPDX-License-Identifier: Apache-2.0
//
// RunCore, while a host keeps it from asking: a wait that another run brought about is told as well.

import Transfers

extension RunCore {
  /// The wait for hosts that begins now, or has become longer since it was told.
  ///
  /// - Returns: nil while something is under way, and for a wait that is the run's own.
  mutating func waitForHosts(at now: Moment, _ hosts: HostGrants) -> RetryWait? {
    guard ending == nil, live.isEmpty, !plan.isComplete,
      let (until, origin) = nextAsk(hosts), until > max(now, notBefore),
      toldUntil.map({ $0 < until }) != false
    else { return nil }
    toldUntil = until
    return RetryWait(
      failure: waitReason?.failure
        ?? Failure(.serverBusy, detail: "\(origin.host) asked for a pause"),
      attempt: waitReason?.attempt ?? 1,
      limit: rule.limit,
      until: until
    )
  }

  /// When a source may be asked again at the earliest, and where.
  private func nextAsk(_ hosts: HostGrants) -> (Moment, Origin)? {
    usable.map { source in
      let origin = sources[source].link.origin
      return (max(restartsAt, sources[source].notBefore, hosts[origin].heldUntil), origin)
    }.min { $0.0 < $1.0 }
  }
}
