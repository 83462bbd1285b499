// SPDX-License-Identifier: Apache-2.0
//
// RunCore, its sources: which one is asked next, when another is compared, when one is set aside.
//
// Rules    The lead gives the file. Further sources are compared with what is on disk, one at a time,
//          as soon as three blocks are there, more than one connection is allowed, and enough is
//          left to be worth it. Among the proven ones the next exchange goes where speed ÷ (exchanges there + 1)
//          is highest; one never measured counts as fast as the best, so that each is tried.
//          Example: 9 MB/s and 4 MB/s a connection: the third connection goes to the first
//          (9/2 against 4/1), the fourth to the second (9/3 against 4/1).

import Connections
import Transfers

/// What the hosts of a run's sources grant it at one moment; unbounded where nothing is told.
struct HostGrants {
  /// Each with its host; few, so that looking through them costs less than a hash.
  private var grants: [(origin: Origin, grant: HostGrant)] = []

  init(byOrigin: [Origin: HostGrant] = [:]) {
    grants = byOrigin.map { ($0, $1) }
  }

  init(_ grants: [(origin: Origin, grant: HostGrant)]) {
    self.grants = grants
  }

  subscript(_ origin: Origin) -> HostGrant {
    get { grants.first { $0.origin == origin }?.grant ?? .unbounded }
    set {
      grants.removeAll { $0.origin == origin }
      grants.append((origin, newValue))
    }
  }
}

extension RunCore {
  /// With less than this left, comparing another source costs more than it brings.
  static let leastForMore: Int64 = 4 * 1024 * 1024

  /// The hosts of the sources that may be asked.
  var origins: [Origin] {
    if sources.count == 1 { return [sources[0].link.origin] }
    return Array(Set(usable.map { sources[$0].link.origin }))
  }

  /// Before this no request is sent.
  var notBefore: Moment {
    max(restartsAt, usable.map { sources[$0].notBefore }.min() ?? restartsAt)
  }

  /// The sources that may be asked, now or after a pause.
  ///
  /// A new link is alone until it has shown that it has the file. What a server named gives no file
  /// from its start, unless nothing else is left: there is nothing to compare it with.
  var usable: [Int] {
    if isRelinking { return [lead] }
    let all = sources.indices.filter { sources[$0].isUsable }
    let given = isProbing && plan.have.isEmpty ? all.filter { !sources[$0].isFound } : all
    return given.isEmpty ? all : given
  }

  /// Skips every pause.
  mutating func askNow() {
    restartsAt = Moment(nanoseconds: .min)
    for source in sources.indices {
      sources[source].notBefore = Moment(nanoseconds: .min)
      sources[source].tries = 0
    }
  }

  /// The source that gets the next exchange; nil when none takes one now.
  func chooseSource(at now: Moment, _ hosts: HostGrants) -> Int? {
    let ready = readySources(at: now, hosts)
    let open = ready.filter { source in
      live(on: source) < places(of: source, among: ready)
        && live(at: sources[source].link.origin) < hosts[sources[source].link.origin].share
    }
    guard open.count > 1 else { return open.first }
    if isProbing { return open.first { $0 >= lead } ?? open.first }
    let present = plan.segments.values.map { $0.rate(at: now) }
    let best = (present + sources.map(\.rate) + [plan.bestRate]).compactMap { $0 }.max() ?? 1
    return open.max { rank($0, best, at: now) < rank($1, best, at: now) }
  }

  /// How many exchanges all sources together would take now.
  func capacity(at now: Moment, _ hosts: HostGrants) -> Int {
    var free: [Origin: Int] = [:]
    let ready = readySources(at: now, hosts)
    for source in ready {
      let origin = sources[source].link.origin
      let places = min(places(of: source, among: ready), hosts[origin].share)
      free[origin] = min(hosts[origin].share, (free[origin] ?? 0).addingClamped(places))
    }
    return free.values.reduce(0) { $0.addingClamped($1) }
  }

  /// The connections that the hosts would take now.
  func shares(at now: Moment, _ hosts: HostGrants) -> Int {
    let origins = Set(readySources(at: now, hosts).map { sources[$0].link.origin })
    return origins.reduce(0) { $0.addingClamped(hosts[$1].share) }
  }

  /// The next block that has to be compared before a source's bytes are taken.
  ///
  /// Where nothing is on disk yet, the lead's bytes are the file.
  mutating func nextBlock(of source: Int) -> ByteRange? {
    guard !sources[source].isProven, !plan.have.isEmpty else { return nil }
    let blocks = sources[source].blocks ?? SampleBlocks.of(plan.have)
    sources[source].blocks = blocks
    return blocks.first
  }

  func live(on source: Int) -> Int { live.values.count { $0.source == source } }

  func live(at origin: Origin) -> Int { live.values.count { $0.origin == origin } }

  private func readySources(at now: Moment, _ hosts: HostGrants) -> [Int] {
    guard now >= restartsAt else { return [] }
    return usable.filter { source in
      now >= max(sources[source].notBefore, hosts[sources[source].link.origin].heldUntil)
    }
  }

  /// How many exchanges a source may have: one while it is compared, and the proven ones leave room
  /// for the next that is to be compared.
  private func places(of source: Int, among ready: [Int]) -> Int {
    if isProbing { return 1 }
    let places = placesWhenOpen(source, among: ready)
    return sources[source].isKnockedAt || sources[source].isStream ? min(1, places) : places
  }

  private func placesWhenOpen(_ source: Int, among ready: [Int]) -> Int {
    if sources.count == 1 { return sources[source].limit }
    let proven = ready.count { sources[$0].isProven }
    let next = proven < worthHaving ? ready.first { !sources[$0].isProven } : nil
    if sources[source].isProven {
      return min(sources[source].limit, next == nil ? atOnce : atOnce - 1)
    }
    let isTime = proven == 0 ? !plan.have.isEmpty : plan.have.count >= SampleBlocks.enough
    return source == next && isTime ? 1 : 0
  }

  /// How many sources are worth having.
  private var worthHaving: Int {
    guard plan.isRanged || mayFindRanges, !isSingle, let total = plan.total else { return 1 }
    return total - plan.have.count >= Self.leastForMore ? atOnce : 1
  }

  /// How much one more exchange with a source promises, in bytes a second.
  private func rank(_ source: Int, _ best: Double, at now: Moment) -> Double {
    guard sources[source].isProven else { return .infinity }
    let exchanges = live.filter { $0.value.source == source }
    let rates = exchanges.keys.compactMap { plan.segments[$0]?.rate(at: now) }
    let present = rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count)
    return (present ?? sources[source].rate ?? best) / Double(exchanges.count + 1)
  }
}

extension RunCore {
  /// Takes the end of a comparison.
  mutating func settleSample(
    _ job: Job,
    _ outcome: FetchOutcome,
    _ now: Moment,
    _ jitter: Double
  ) -> Aftermath {
    switch outcome {
    case .stopped:
      return Aftermath()
    case .agreed(let validators):
      sources[job.source].agreed(on: job.range, validators)
      let isProven = sources[job.source].isProven
      return Aftermath(
        events: findRanges(at: job.source),
        note: isProven ? "\(job.link.origin.host) has the same file" : nil
      )
    case .ended:
      let failure = Failure(.cutShort, detail: "a block without its bytes")
      return fail(failure, job, nil, false, now, jitter)
    case .refused(.expired(let failure)):
      return expire(failure, job, now, jitter)
    case .failed(let failure, let asked), .refused(.failed(let failure, let asked)):
      return fail(failure, job, asked, false, now, jitter)
    case .refused(.differs(let failure)):
      return differ(failure, job, now)
    case .refused(.unproven(let failure)), .refused(.foreign(let failure)),
      .refused(.changed(let failure)):
      return setAside(job.source, failure) ?? restart(failure, now)
    case .refused(.accept), .refused(.empty), .refused(.askWithoutRange), .refused(.askWithDate):
      let failure = Failure(.wrongRange, detail: "ranges are refused")
      return setAside(job.source, failure) ?? restart(failure, now)
    }
  }

  /// Asks a source no more, when there is another one; nil when it is the last.
  mutating func setAside(_ source: Int, _ failure: Failure) -> Aftermath? {
    guard usable.contains(where: { $0 != source }) else { return nil }
    sources[source].standing = .aside(failure)
    if lead == source { lead = usable.first { $0 > source } ?? usable.first ?? 0 }
    giveUpLead()
    let why = failure.detail.isEmpty ? failure.short : "\(failure.short), \(failure.detail)"
    return Aftermath(
      cancel: live.values.filter { $0.source == source }.compactMap(\.connection),
      note: "\(sources[source].link.origin.host) set aside: \(why)"
    )
  }

  /// As long as nothing is on disk or under way, another source may give the file.
  mutating func giveUpLead() {
    guard sources.count > 1, plan.have.isEmpty, !plan.isComplete, live.isEmpty, !isProbing
    else { return }
    provenGeneration = -1
    plan.restart()
    for source in sources.indices { sources[source].forget() }
  }
}

extension Int {
  /// The sum, at most `Int.max`.
  fileprivate func addingClamped(_ other: Int) -> Int {
    let (sum, isOver) = addingReportingOverflow(other)
    return isOver ? .max : sum
  }
}
