// SPDX-License-Identifier: Apache-2.0
//
// RunCore under events in any order: whatever happens, a run has an exchange, may begin one, or waits
// for a time that it has told; and once servers behave, it comes to its end.

import Chance
import Connections
import Testing
import Transfers

@testable import Engine

private let size: Int64 = 20 * SegmentPlan.smallest + 17

private let answer = Answer(
  name: "file",
  total: ByteCount(size),
  validators: Validators(entityTag: "\"a\""),
  isResumable: true
)

private let stream = Answer(
  name: "file",
  total: ByteCount(size),
  validators: Validators(),
  isResumable: false
)

private func fresh(links: Int, _ connections: ConnectionLimit) -> RunCore {
  let request = TransferRequest(
    mirrors: (0..<links).map { link("http://m\($0).test/file") },
    directory: "/tmp",
    connections: connections
  )
  let transfer = Transfer(id: TransferID(1), request: request, addedAt: WallTime(seconds: 0))
  var core = RunCore(transfer, rule: RetryRule(limit: 50))
  core.workers = 1
  return core
}

/// A run whose workers, servers and clock are dice.
private struct Play {
  /// What the transfer's state says of the run.
  enum Shown: Equatable {
    case connecting, downloading
    case waiting(until: Moment)
  }

  /// How far a worker's exchange is.
  enum Phase {
    case given, sent, receiving
  }

  var core: RunCore
  var dice: SplitMix
  var now = Moment(nanoseconds: 0)
  var idle: Set<Int> = [0]
  var exchanges: [Int: (job: Job, phase: Phase)] = [:]
  var hosts = HostGrants()
  var shown = Shown.connecting
  /// How often of ten times something goes wrong.
  var trouble: Int
  /// Whether the first link knows no ranges.
  let hasStream: Bool

  init(seed: UInt64) {
    dice = SplitMix(seed: seed)
    let links = Int.random(in: 1...3, using: &dice)
    let connections = Int.random(in: 1...5, using: &dice)
    core = fresh(links: links, Bool.random(using: &dice) ? .adaptive : .fixed(connections))
    trouble = Int.random(in: 1...9, using: &dice)
    hasStream = Int.random(in: 0...2, using: &dice) == 0
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &dice)
  }

  /// Something happens.
  mutating func go() {
    switch number(0...9) {
    case 0: pass(.milliseconds(number(1...900)))
    case 1 where trouble > 5: hold()
    case 2...5: if let worker = idle.sorted().randomElement(using: &dice) { step(worker) }
    default: if let worker = exchanges.keys.sorted().randomElement(using: &dice) { goOn(worker) }
    }
  }

  mutating func pass(_ time: Duration) {
    now = now + time
    let grown = core.grow(at: now, hosts: hosts)
    idle.formUnion(grown)
  }

  private mutating func hold() {
    guard let source = core.sources.randomElement(using: &dice) else { return }
    let share = number(1...3)
    hosts[source.link.origin] = HostGrant(
      share: share,
      heldUntil: now + .seconds(number(0...5))
    )
  }

  mutating func step(_ worker: Int) {
    switch core.step(worker, at: now, hosts: hosts) {
    case .fetch(let job):
      idle.remove(worker)
      exchanges[worker] = (job, .given)
      if job.endsWait { shown = .connecting }
    case .wait:
      guard worker == 0, let wait = core.untoldWait(at: now, hosts) else { return }
      shown = .waiting(until: wait.until)
    case .leave:
      guard worker > 0 || core.ending != nil || core.plan.isComplete else { return }
      idle.remove(worker)
      core.workers -= 1
    }
  }

  private mutating func goOn(_ worker: Int) {
    guard let (job, phase) = exchanges[worker] else { return }
    switch phase {
    case .given:
      guard core.register(Web().connection(), worker, job) else { return end(worker, .stopped) }
      exchanges[worker]?.phase = .sent
    case .sent: number(1...10) > trouble ? accept(worker, job) : end(worker, refusal())
    case .receiving: number(1...10) > trouble ? take(worker, job) : end(worker, failure())
    }
  }

  private mutating func accept(_ worker: Int, _ job: Job) {
    let isStream = hasStream && job.source == 0
    if isStream, job.kind != .probe || job.range.lower > 0 {
      return end(worker, .refused(.foreign(Failure(.wrongRange))))
    }
    guard job.kind != .sample else { return end(worker, .agreed(Validators())) }
    let told = isStream ? stream : answer
    if core.admit(told, job, worker, found: nil) { shown = .downloading }
    idle.formUnion(core.room(at: now, hosts: hosts))
    exchanges[worker]?.phase = .receiving
  }

  private mutating func take(_ worker: Int, _ job: Job) {
    let isCurrent = core.generation == job.generation && core.ending == nil
    let count = number(1...800_000)
    let claim = isCurrent ? core.plan.claim(worker, count, at: now) : .nothing
    if claim.wanted > 0 {
      core.plan.wrote(worker, upTo: claim.offset + Int64(claim.wanted))
      core.sources[job.source].broughtBytes()
    }
    if claim.isLast { end(worker, .ended) }
  }

  private mutating func refusal() -> FetchOutcome {
    let wrong = Failure(.wrongRange)
    return switch number(0...9) {
    case 0: .refused(.foreign(wrong))
    case 1: .refused(.changed(Failure(.changed)))
    case 2: .refused(.expired(Failure(.notFound)))
    case 3: .refused(.askWithoutRange)
    case 4: .refused(.askWithDate)
    case 5: .refused(.unproven(wrong))
    default: failure()
    }
  }

  private mutating func failure() -> FetchOutcome {
    let kinds: [FailureKind] = [
      .connectionLost, .cannotConnect, .serverBusy, .timedOut, .cutShort, .notFound, .refused,
    ]
    if number(0...5) == 0 { return .stopped }
    let asked: Duration? = number(0...3) == 0 ? .seconds(number(0...20)) : nil
    return .failed(Failure(kinds.randomElement(using: &dice) ?? .timedOut), retryAfter: asked)
  }

  private mutating func end(_ worker: Int, _ outcome: FetchOutcome) {
    guard let (job, _) = exchanges.removeValue(forKey: worker) else { return }
    idle.insert(worker)
    let aftermath = core.settle(worker, job, outcome, at: now, jitter: 0.5)
    for case .answered in aftermath.events { shown = .downloading }
  }

  /// Whether there is nothing left to do.
  var isOver: Bool { core.ending != nil || core.plan.isComplete }

  /// Why nothing would ever happen; nil when something is under way, may be begun, or is waited for.
  var stuck: String? {
    var copy = self
    guard !isOver, copy.core.live.isEmpty else { return nil }
    copy.step(0)
    if !copy.exchanges.isEmpty { return nil }
    guard case .waiting(let until) = copy.shown else { return "no wait is told: \(copy.shown)" }
    guard until > now else { return "the wait is over" }
    copy.now = until
    copy.step(0)
    if !copy.exchanges.isEmpty { return nil }
    guard case .waiting(let later) = copy.shown, later > until else {
      return "it waits for nothing"
    }
    return nil
  }
}

@Suite struct RunCoreOrderTests {
  @Test func whatWasGivenOutCountsBeforeItsConnectionIsMade() throws {
    let now = Moment(nanoseconds: 0)
    var core = fresh(links: 1, .fixed(2))
    guard case .fetch(let probe) = core.step(0, at: now) else { return }
    _ = core.admit(answer, probe, 0, found: nil)
    let second = try #require(core.room(at: now).first)
    guard case .fetch(let part) = core.step(second, at: now) else { return }
    let broken = FetchOutcome.failed(Failure(.connectionLost), retryAfter: nil)
    _ = core.settle(0, probe, broken, at: now, jitter: 0.5)
    #expect(core.untoldWait(at: now) == nil)
    _ = core.settle(second, part, broken, at: now, jitter: 0.5)
    #expect(core.untoldWait(at: now)?.until == core.notBefore)
    #expect(core.untoldWait(at: now) == nil)
  }

  @Test(arguments: 0..<8)
  func aRunAlwaysHasAConnectionOrAWaitThatIsTold(batch: UInt64) {
    for seed in batch * 50..<(batch + 1) * 50 {
      var play = Play(seed: seed)
      for turn in 0..<400 where !play.isOver {
        play.go()
        guard let stuck = play.stuck else { continue }
        Issue.record("seed \(seed), turn \(turn): \(stuck)")
        return
      }
    }
  }

  @Test func onceServersBehaveItComesToItsEnd() {
    for seed in 0..<100 as Range<UInt64> {
      var play = Play(seed: seed)
      for _ in 0..<200 where !play.isOver { play.go() }
      play.trouble = 0
      for _ in 0..<20_000 where !play.isOver {
        play.go()
        if case .waiting(let until) = play.shown { play.now = max(play.now, until) }
      }
      #expect(play.isOver, "seed \(seed): \(play.core.live.keys) \(play.shown)")
    }
  }
}
