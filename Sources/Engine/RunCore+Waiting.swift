// SPDX-License-Identifier: Apache-2.0
//
// RunCore, while nothing may be asked: until when, and why.
//
// Rule     Whenever worker 0 rests and no exchange is under way, a wait is on and has been told, or
//          what is on disk is being compared.

import Transfers

/// Why the next request has to wait.
struct WaitReason {
  let failure: Failure
  /// The number of the try that comes next.
  let attempt: Int
  let limit: Int
}

extension RunCore {
  /// The wait that is on, when it was not told yet or has become another one.
  ///
  /// - Returns: nil while something is under way, or may be asked now.
  mutating func untoldWait(at now: Moment, _ hosts: HostGrants = HostGrants()) -> RetryWait? {
    guard ending == nil, live.isEmpty, !plan.isComplete, !waitsForAudit,
      let (until, reason) = nextAsk(hosts, at: now), until > now, until != toldUntil
    else { return nil }
    toldUntil = until
    return RetryWait(
      failure: reason.failure,
      attempt: reason.attempt,
      limit: reason.limit,
      until: until
    )
  }

  /// When a source may be asked again at the earliest, and what it waits for.
  private func nextAsk(_ hosts: HostGrants, at now: Moment) -> (Moment, WaitReason)? {
    let asks = usable.map { source -> (until: Moment, source: Int) in
      let held = hosts[sources[source].link.origin].heldUntil
      return (max(restartsAt, sources[source].notBefore, held), source)
    }
    guard let first = asks.min(by: { $0.until < $1.until }) else { return nil }
    let source = sources[first.source]
    let own = restartsAt == first.until ? restartReason : nil
    let its = source.notBefore > now ? source.waitReason : nil
    return (first.until, own ?? its ?? busy(source.link.origin))
  }

  /// A wait that another run of the same host has brought about.
  private func busy(_ origin: Origin) -> WaitReason {
    let failure = Failure(.serverBusy, detail: "\(origin.host) asked for a pause")
    return WaitReason(failure: failure, attempt: 1, limit: rule.limit)
  }
}
