// SPDX-License-Identifier: Apache-2.0
//
// A RunCore played by hand: the test says what each worker does, in what order and when.

import Connections
import Transfers

@testable import Engine

func playedCore(
  connections: ConnectionLimit = .fixed(4),
  mirrors: Int = 1,
  rule: RetryRule = RetryRule(),
  hasDigest: Bool = false
) -> RunCore {
  let links = (0..<mirrors).map { link("http://mirror\($0).test/file") }
  var request = TransferRequest(mirrors: links, directory: "/tmp", connections: connections)
  if hasDigest { request.checksum = checksum(.sha256, of: []) }
  let transfer = Transfer(id: TransferID(1), request: request, addedAt: WallTime(seconds: 0))
  var core = RunCore(transfer, rule: rule)
  core.workers = 1
  return core
}

let goodAnswer = Answer(
  name: "file",
  total: ByteCount(64 * SegmentPlan.smallest),
  validators: Validators(entityTag: "\"a\""),
  isResumable: true
)

extension RunCore {
  /// A worker takes its next job and begins its exchange.
  mutating func begin(_ number: Int, at now: Moment) -> Job? {
    guard case .fetch(let job) = step(number, at: now) else { return nil }
    live[number] = LiveExchange(
      connection: Web().connection(),
      generation: job.generation,
      source: job.source,
      origin: job.link.origin
    )
    return job
  }

  /// The first exchange is answered, the other workers begin theirs.
  mutating func open(at now: Moment) -> [Int: Job] {
    var jobs: [Int: Job] = [:]
    guard let probe = begin(0, at: now) else { return jobs }
    jobs[0] = probe
    _ = admit(goodAnswer, probe, 0, found: nil)
    for number in room(at: now) {
      guard let job = begin(number, at: now) else { continue }
      jobs[number] = job
    }
    return jobs
  }

  mutating func take(_ number: Int, _ count: Int64, at now: Moment) {
    let claim = plan.claim(number, Int(count), at: now)
    plan.wrote(number, upTo: claim.offset + Int64(claim.wanted))
  }

  mutating func fail(
    _ number: Int,
    _ job: Job?,
    _ kind: FailureKind = .connectionLost,
    after asked: Duration? = nil,
    at now: Moment
  ) -> Aftermath? {
    guard let job else { return nil }
    let failure = Failure(kind)
    return told(settle(number, job, .failed(failure, retryAfter: asked), at: now, jitter: 0.5), now)
  }

  /// What worker 0 tells when it then finds nothing to do comes last.
  mutating func told(_ aftermath: Aftermath, _ now: Moment) -> Aftermath {
    guard let wait = untoldWait(at: now) else { return aftermath }
    var aftermath = aftermath
    aftermath.events.append(.retryScheduled(wait))
    return aftermath
  }

  func isWaiting(_ number: Int, at now: Moment) -> Bool {
    var copy = self
    if case .wait = copy.step(number, at: now) { return true }
    return false
  }
}

func toldWaits(_ aftermath: Aftermath?) -> [RetryWait] {
  (aftermath?.events ?? []).compactMap {
    if case .retryScheduled(let wait) = $0 { wait } else { nil }
  }
}
