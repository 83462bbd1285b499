// SPDX-License-Identifier: Apache-2.0
//
// Which source is asked next, and which blocks are compared before. Workers are played by hand.

import Connections
import Testing
import Transfers

@testable import Engine

private let block = SampleBlocks.length

@Suite struct SourceChoiceTests {
  private func at(_ seconds: Double) -> Moment { Moment(nanoseconds: 0) + .seconds(seconds) }

  private func core(_ links: Int, connections: Int = 4) -> RunCore {
    let request = TransferRequest(
      mirrors: (0..<links).map { link("http://mirror\($0).test/file") },
      directory: "/tmp",
      connections: .fixed(connections)
    )
    let transfer = Transfer(
      id: TransferID(1),
      request: request,
      addedAt: WallTime(seconds: 0)
    )
    var core = RunCore(transfer, rule: RetryRule())
    core.plan.learn(total: 64 * 1024 * 1024)
    core.provenGeneration = 0
    core.allowed = connections
    for source in core.sources.indices { core.sources[source].standing = .proven }
    return core
  }

  private func host(_ core: inout RunCore, _ number: Int, at now: Moment) -> String? {
    guard case .fetch(let job) = core.step(number, at: now) else { return nil }
    core.live[number] = LiveExchange(
      connection: Web().connection(),
      generation: 0,
      source: job.source,
      origin: job.link.origin
    )
    return job.link.origin.host
  }

  @Test func connectionsAreSpreadBySpeed() {
    var core = core(2)
    core.sources[0].rate = 9_000_000
    core.sources[1].rate = 4_000_000
    let hosts = (0..<4).map { host(&core, $0, at: at(0)) }
    #expect(hosts == ["mirror0.test", "mirror0.test", "mirror1.test", "mirror0.test"])
  }

  @Test func oneThatWasNeverMeasuredIsTried() {
    var core = core(3)
    core.sources[0].rate = 1_000_000
    let hosts = (0..<3).map { host(&core, $0, at: at(0)) }
    #expect(Set(hosts) == ["mirror0.test", "mirror1.test", "mirror2.test"])
  }

  @Test func itIsTriedBesideOneThatIsStillFetching() {
    var core = core(2)
    core.sources[1].standing = .unproven
    for number in 0...1 {
      #expect(host(&core, number, at: at(0)) == "mirror0.test")
      _ = core.plan.claim(number, 1_000_000, at: at(1))
    }
    core.sources[1].standing = .proven
    #expect(host(&core, 2, at: at(1)) == "mirror1.test")
  }

  @Test func aSlowSourceLosesItsConnectionToTheFastOne() throws {
    var core = core(2, connections: 2)
    #expect(host(&core, 0, at: at(0)) == "mirror0.test")
    guard case .fetch(let slow) = core.step(1, at: at(0)) else { return }
    core.live[1] = LiveExchange(
      connection: Web().connection(),
      generation: 0,
      source: slow.source,
      origin: slow.link.origin
    )
    #expect(slow.link.origin.host == "mirror1.test")
    let end = Int(core.plan.segments[0]?.left ?? 0)
    core.plan.wrote(0, upTo: core.plan.claim(0, end, at: at(5)).offset + Int64(end))
    _ = core.plan.claim(1, 1000, at: at(5))
    let job = Job.done(by: 0, of: core)
    _ = core.settle(0, job, .ended, at: at(5), jitter: 0)
    guard case .fetch(let next) = core.step(0, at: at(5)) else {
      Issue.record("nothing to do")
      return
    }
    #expect(next.link.origin.host == "mirror0.test" && next.overtaken != nil)
    // The one that was overtaken goes to the fast source as well.
    _ = core.settle(1, slow, .stopped, at: at(5), jitter: 0)
    #expect(host(&core, 1, at: at(5)) == "mirror0.test")
  }

  @Test func aHostsShareSendsTheRestToOthers() {
    var core = core(2)
    core.sources[1].rate = 1
    core.sources[0].rate = 1_000_000
    let share = HostGrant(share: 1, heldUntil: Moment(nanoseconds: .min))
    let hosts = HostGrants(byOrigin: [core.sources[0].link.origin: share])
    #expect(host(&core, 0, at: at(0)) == "mirror0.test")
    guard case .fetch(let job) = core.step(1, at: at(0), hosts: hosts) else { return }
    #expect(job.link.origin.host == "mirror1.test")
  }

  @Test func aSourceThatFailsRestsWhileOthersWork() {
    var core = core(2)
    guard case .fetch(let job) = core.step(0, at: at(0)) else { return }
    let failure = Failure(.timedOut)
    let aftermath = core.settle(
      0,
      job,
      .failed(failure, retryAfter: nil),
      at: at(0),
      jitter: 0.5
    )
    #expect(aftermath.events.isEmpty)
    #expect(host(&core, 0, at: at(0)) != job.link.origin.host)
    #expect(core.ending == nil)
  }

  @Test func nothingIsTakenFromAnUnprovenSourceWhileNothingIsThereToCompare() {
    var core = core(2)
    core.sources[1].standing = .unproven
    guard case .fetch(let job) = core.step(0, at: at(0)) else { return }
    #expect(host(&core, 1, at: at(0)) == "mirror0.test")
    // The first breaks without a byte while the second has no answer yet.
    let failure = Failure(.connectionLost)
    _ = core.settle(0, job, .failed(failure, retryAfter: nil), at: at(0), jitter: 0.5)
    #expect(host(&core, 0, at: at(0)) == nil)
    #expect(!core.isProbing)
  }

  @Test func aSpareThatDoesNotAnswerIsTriedTwice() {
    var core = core(2)
    core.sources[1].standing = .unproven
    #expect(host(&core, 0, at: at(0)) == "mirror0.test")
    core.live[0]?.isReceiving = true
    _ = core.plan.claim(0, Int(3 * block), at: at(0))
    core.plan.wrote(0, upTo: 3 * block)
    for second in [0, 10] {
      guard case .fetch(let job) = core.step(1, at: at(Double(second))) else { return }
      #expect(job.kind == .sample)
      let failure = FetchOutcome.failed(Failure(.timedOut), retryAfter: nil)
      _ = core.settle(1, job, failure, at: at(Double(second)), jitter: 0.5)
    }
    #expect(core.sources[1].standing == .aside(Failure(.timedOut)))
  }

  @Test func aSourceIsComparedWhenThreeBlocksAreThereAndItIsWorthIt() {
    var core = core(2)
    core.sources[1].standing = .unproven
    #expect(core.capacity(at: at(0), HostGrants()) == 3)
    core.plan = SegmentPlan(
      total: 64 * 1024 * 1024,
      have: ByteRangeSet([ByteRange(0, 3 * block)])
    )
    #expect(core.capacity(at: at(0), HostGrants()) == 4)
    guard case .fetch(let job) = core.step(0, at: at(0)) else { return }
    #expect(job.kind == .sample && job.source == 1)
    core.plan = SegmentPlan(total: 4 * block, have: ByteRangeSet([ByteRange(0, 3 * block)]))
    guard case .fetch(let part) = core.step(1, at: at(0)) else { return }
    #expect(part.kind == .part && part.source == 0)
  }
}

extension Job {
  /// The job that a worker of a made-up core is doing.
  fileprivate static func done(by number: Int, of core: RunCore) -> Job {
    let source = core.live[number]?.source ?? 0
    return Job(
      kind: .part,
      generation: core.generation,
      range: core.plan.segments[number]?.range ?? ByteRange(0, 0),
      compared: ByteRange(0, 0),
      endsWait: false,
      overtaken: nil,
      expectation: Expectation(
        start: 0,
        withRange: true,
        isProbe: false,
        joins: true,
        total: core.plan.total,
        validators: Validators(),
        condition: .none
      ),
      source: source,
      link: core.sources[source].link,
      isFound: false
    )
  }
}

@Suite struct SampleBlockTests {
  private func blocks(_ ranges: (Int64, Int64)...) -> [ByteRange] {
    SampleBlocks.of(ByteRangeSet(ranges.map { ByteRange($0.0, $0.1) }))
  }

  @Test func threeBlocksAreTakenFromWhatIsThere() {
    let end = 100 * block
    let middle = (end - block) / 2
    #expect(
      blocks((0, end)) == [
        ByteRange(0, block), ByteRange(middle, middle + block), ByteRange(end - block, end),
      ]
    )
  }

  @Test func gapsAreLeftOut() {
    let found = blocks((0, 2 * block), (50 * block, 52 * block), (90 * block, 91 * block))
    #expect(
      found == [
        ByteRange(0, block), ByteRange(50 * block, 51 * block), ByteRange(90 * block, 91 * block),
      ]
    )
  }

  @Test func whereLessIsThereThereAreFewerAndNoByteTwice() {
    #expect(blocks() == [])
    #expect(blocks((5, 15)) == [ByteRange(5, 15)])
    let found = blocks((0, block + 10))
    #expect(found.reduce(0) { $0 + $1.count } == block + 10)
    #expect(ByteRangeSet(found).count == block + 10)
  }
}
