// SPDX-License-Identifier: Apache-2.0
//
// RunCore, when an answer is accepted and while time passes: connections, silence, growth.

import Connections
import Transfers

extension RunCore {
  /// Takes an accepted answer.
  ///
  /// - Returns: Whether it should be told, because nothing was being received before.
  mutating func admit(
    _ answer: Answer,
    _ job: Job,
    _ number: Int,
    found: Checksum?,
    duplicates: [Link] = []
  ) -> Bool {
    guard job.generation == generation else { return false }
    let isNew = !live.values.contains(where: \.isReceiving)
    live[number]?.isReceiving = true
    sources[job.source].mismatches = 0
    sources[job.source].isKnockedAt = false
    if isNew { (isSilent, silentSince) = (false, nil) }
    guard job.isProbe else { return isNew }
    provenGeneration = generation
    isRelinking = false
    self.answer = answer
    sources[job.source].validators = answer.validators
    sources[job.source].standing = .proven
    plan.isRanged = answer.isResumable
    sources[job.source].isStream = !answer.isResumable
    if let total = answer.total { plan.learn(total: total.bytes) }
    if let found { announced.checksum = found }
    add(duplicates, namedBy: job.link.origin)
    allowed = connectionsToBegin()
    return true
  }

  /// The numbers of the workers that may be added now.
  mutating func room(at now: Moment, hosts: HostGrants = HostGrants()) -> [Int] {
    guard ending == nil, !isProbing else { return [] }
    let missing = max(0, min(atOnce, capacity(at: now, hosts)) - workers)
    guard missing > 0 else { return [] }
    let numbers = (1...missing).map { lastWorker + $0 }
    lastWorker += missing
    workers += missing
    return numbers
  }

  /// The connections that are more than a host's share, or than the limit in force keeps fed; the
  /// youngest go first, worker 0 stays.
  func surplus(over hosts: HostGrants) -> [any Connection] {
    let origins = Set(live.values.map(\.origin))
    let overShares = origins.flatMap { origin in
      youngest(of: live.filter { $0.value.origin == origin }, over: hosts[origin].share)
    }
    let numbers = Set(overShares + youngest(of: live, over: fed))
    return numbers.compactMap { live[$0]?.connection }
  }

  private func youngest(of exchanges: [Int: LiveExchange], over count: Int) -> [Int] {
    let others = exchanges.keys.filter { $0 > 0 }.sorted(by: >)
    return Array(others.prefix(max(0, exchanges.count - max(1, count))))
  }

  /// Beside a stream there is one to compare another source with.
  func connectionsToBegin() -> Int {
    guard !isSingle, let total = plan.total else { return 1 }
    guard plan.isRanged else { return mayFindRanges && total >= Self.leastForMore ? 2 : 1 }
    let useful = Int(min(Int64(ceiling), total / (2 * SegmentPlan.smallest)))
    switch request.connections {
    case .adaptive: return 1
    case .fixed: return max(1, useful)
    }
  }

  /// Lets an adaptive transfer try one more connection; the numbers of the workers to add, also
  /// those that a host's share has room for again.
  mutating func grow(at now: Moment, hosts: HostGrants = HostGrants()) -> [Int] {
    guard !isProbing, ending == nil else { return [] }
    let mayTry =
      request.connections == .adaptive && allowed < min(ceiling, fed, shares(at: now, hosts))
      && plan.isRanged && !isSingle && live.count == allowed && now >= notBefore
    if mayTry, growth.look(at: now, bytes: plan.have.count, total: plan.total) { allowed += 1 }
    return room(at: now, hosts: hosts)
  }

  /// Notices that no byte came for a while, or that they come again.
  mutating func noticeSilence(at now: Moment) -> TransferEvent? {
    guard ending == nil, !live.isEmpty, !plan.segments.isEmpty else { return nil }
    // Connections that take over from silent ones do not make it less silent.
    let began = silentSince ?? plan.segments.values.map(\.startedAt).min() ?? now
    silentSince = began
    let last = max(plan.lastByteAt ?? began, began)
    let silent = (now - last).inSeconds >= 4 && live.values.contains(where: \.isReceiving)
    guard silent != isSilent else { return nil }
    isSilent = silent
    return silent ? .fellSilent : .flowing
  }

  /// Nothing of an earlier run is left.
  mutating func forgetEverything() {
    plan.restart()
    answer = nil
    announced = Announced()
    repair = nil
  }
}
