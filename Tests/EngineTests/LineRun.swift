// SPDX-License-Identifier: Apache-2.0
//
// LineRun: a whole run over lines of given speeds, on virtual time and on one thread.
//
// Its workers do what `TransferRun`'s do: they ask for the next exchange, make it, tell how it ended,
// and look again when something has changed or the heartbeat beats. What happens is done in the order
// of time, so that a run is the same each time and takes no time at all.

import Chance
import Connections
import Testing
import Transfers

@testable import Engine

/// How one connection serves its request.
struct Line {
  /// Seconds until its head comes.
  var latency = 0.02
  /// Bytes a second, each from a time of the run on; the first counts from the start.
  var speeds: [(from: Double, rate: Double)]

  /// A line that is as fast all the time.
  init(_ rate: Double) {
    speeds = [(0, rate)]
  }

  /// A line that has another speed from a time on.
  init(_ rate: Double, then later: Double, from time: Double) {
    speeds = [(0, rate), (time, later)]
  }

  func rate(at time: Double) -> Double {
    speeds.last { $0.from <= time }?.rate ?? 0
  }
}

/// One run.
struct LineRun {
  /// The time between two readings of a connection, in seconds.
  static let reading = 0.02

  private enum Happening {
    case beat
    case head(Int)
    case bytes(Int)
    case stopped(Int)
  }

  /// An exchange of a worker.
  private struct Fetching {
    let job: Job
    let line: Line
    /// Tells the exchange from others that the worker had.
    let connection: Int
    var position: Int64
    var lookedAt: Double
    /// The part of a byte that is on its way.
    var rest = 0.0
  }

  private(set) var core: RunCore
  /// Seconds since the run began.
  private(set) var time = 0.0
  /// Who asked for what, and what came.
  private(set) var traffic = LineTraffic()
  /// What the run told, and when.
  private(set) var told: [(at: Double, event: TransferEvent)] = []
  /// When the last byte came.
  private(set) var lastByteAt = 0.0
  private(set) var requests = 0
  private let size: Int64
  private let lines: (Int) -> Line
  private var dice: SplitMix
  private var fetching: [Int: Fetching] = [:]
  private var idle: Set<Int> = [0]
  private var agenda: [(at: Double, order: Int, happening: Happening, connection: Int)] = []
  private var order = 0

  /// Makes a run.
  ///
  /// - Parameters:
  ///   - size: The length of the file.
  ///   - connections: How many the run may have.
  ///   - isOrdered: Whether a digest is known, so that beginnings are fetched in place of halves.
  ///   - seed: Decides who is first when several may act.
  ///   - lines: What request number n, from 1, gets.
  init(
    size: Int64,
    connections: ConnectionLimit = .fixed(4),
    isOrdered: Bool = false,
    seed: UInt64 = 1,
    lines: @escaping (Int) -> Line
  ) {
    core = playedCore(connections: connections, hasDigest: isOrdered)
    self.size = size
    self.lines = lines
    dice = SplitMix(seed: seed)
  }

  /// Whether the whole file is there.
  var isComplete: Bool { core.plan.isComplete }

  /// Lets the run go to its end, or up to a time.
  mutating func go(until end: Double = 600) {
    if requests == 0 {
      plan(.beat, in: 0.25)
      look()
    }
    while !isOver, let next = takeNext(before: end) {
      time = max(time, next.at)
      carryOut(next.happening, next.connection)
      traffic.look(at: core.plan)
    }
  }

  private var isOver: Bool {
    requests > 0 && fetching.isEmpty && (isComplete || core.ending != nil)
  }

  private var now: Moment { Moment(nanoseconds: 0) + .seconds(time) }

  private mutating func plan(_ happening: Happening, in delay: Double, of connection: Int = 0) {
    order += 1
    agenda.append((time + delay, order, happening, connection))
  }

  private mutating func takeNext(
    before end: Double
  ) -> (
    at: Double, order: Int, happening: Happening, connection: Int
  )? {
    let first = agenda.indices.min {
      (agenda[$0].at, agenda[$0].order) < (agenda[$1].at, agenda[$1].order)
    }
    guard let first, agenda[first].at < end else { return nil }
    return agenda.remove(at: first)
  }

  private mutating func carryOut(_ happening: Happening, _ connection: Int) {
    switch happening {
    case .beat: beat()
    case .head(let worker): if isStill(worker, connection) { answer(worker) }
    case .bytes(let worker): if isStill(worker, connection) { receive(worker) }
    case .stopped(let worker): if isStill(worker, connection) { settle(worker, .stopped) }
    }
  }

  private func isStill(_ worker: Int, _ connection: Int) -> Bool {
    fetching[worker]?.connection == connection
  }

  private mutating func beat() {
    plan(.beat, in: 0.25)
    if let silence = core.noticeSilence(at: now) { told.append((time, silence)) }
    idle.formUnion(core.grow(at: now))
    look()
  }

  /// Every worker that has nothing to do looks for something.
  private mutating func look() {
    for worker in idle.sorted().shuffled(using: &dice) { step(worker) }
  }

  private mutating func step(_ worker: Int) {
    switch core.step(worker, at: now) {
    case .fetch(let job): begin(worker, job)
    case .wait: break
    case .leave:
      guard worker > 0 || isComplete || core.ending != nil else { return }
      idle.remove(worker)
      core.workers -= 1
    }
  }

  private mutating func begin(_ worker: Int, _ job: Job) {
    idle.remove(worker)
    requests += 1
    if let victim = job.overtaken as? LineEnd {
      plan(.stopped(victim.worker), in: 0, of: victim.connection)
    }
    _ = core.register(LineEnd(worker: worker, connection: requests), worker, job)
    let line = lines(requests)
    fetching[worker] = Fetching(
      job: job,
      line: line,
      connection: requests,
      position: job.range.lower,
      lookedAt: time + line.latency
    )
    plan(.head(worker), in: line.latency, of: requests)
  }

  private mutating func answer(_ worker: Int) {
    guard let exchange = fetching[worker] else { return }
    let answer = Answer(
      name: "file",
      total: ByteCount(size),
      validators: Validators(entityTag: "\"a\""),
      isResumable: true
    )
    _ = core.admit(answer, exchange.job, worker, found: nil)
    idle.formUnion(core.room(at: now))
    look()
    plan(.bytes(worker), in: Self.reading, of: exchange.connection)
  }

  /// Takes what has come since the last time.
  private mutating func receive(_ worker: Int) {
    guard var exchange = fetching[worker] else { return }
    exchange.rest += exchange.line.rate(at: time) * (time - exchange.lookedAt)
    exchange.lookedAt = time
    let wanted = min(exchange.job.range.upper, size) - exchange.position
    let count = min(Int64(exchange.rest), wanted)
    exchange.rest -= Double(count)
    exchange.position += count
    fetching[worker] = exchange
    if count > 0, take(worker, count, exchange) { return settle(worker, .ended) }
    plan(.bytes(worker), in: Self.reading, of: exchange.connection)
  }

  /// Gives bytes to the run; whether they were the last that it wants.
  private mutating func take(_ worker: Int, _ count: Int64, _ exchange: Fetching) -> Bool {
    lastByteAt = time
    traffic.came.append(ByteRange(exchange.position - count, exchange.position))
    let claim = core.plan.claim(worker, Int(count), at: now)
    core.plan.wrote(worker, upTo: claim.offset + Int64(claim.wanted))
    core.sources[exchange.job.source].broughtBytes()
    return claim.isLast || claim.isCut || claim.wanted < Int(count)
  }

  private mutating func settle(_ worker: Int, _ outcome: FetchOutcome) {
    guard let exchange = fetching.removeValue(forKey: worker) else { return }
    traffic.ended(exchange.job.range, as: core.plan.segments[worker], of: size)
    let aftermath = core.settle(worker, exchange.job, outcome, at: now, jitter: 0.5)
    told += aftermath.events.map { (time, $0) }
    for case let victim as LineEnd in aftermath.cancel {
      plan(.stopped(victim.worker), in: 0, of: victim.connection)
    }
    idle.insert(worker)
    look()
  }
}

/// The connection of an exchange, by which it is found again when it is cancelled.
private struct LineEnd: Connection {
  let worker: Int
  let connection: Int
  var trace: ConnectionTrace? { nil }

  func cancel() {}

  func run(
    _ request: ConnectionRequest,
    onHead: (ResponseHead) -> HeadVerdict,
    onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict
  ) throws(ConnectionError) -> ConnectionReport {
    throw .cancelled
  }
}
