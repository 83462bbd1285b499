// SPDX-License-Identifier: Apache-2.0
//
// TransferRun: one attempt at a transfer, from taking it off the queue to its end.
//
// The thread of the transfer's operation is worker 0; further workers are operations on the
// connections' queue. Each asks the core for its next exchange, makes it, and tells how it ended.
// Worker 0 stays until the others have left, then concludes.
//
// Owns     the core under one mutex, the partial file, the running checksum, the audit.
// Threads  `run` on one worker thread; `stop`, `tick` and `sample` from any.
// Never    calls a connection, the disk or the engine while it holds its mutex.

import Connections
import Storage
import Transfers
import Workers

/// One attempt at a transfer.
final class TransferRun: Sendable {
  let transfer: Transfer
  let context: RunContext
  let core: Monitor<RunCore>
  /// The transfer's own limit.
  let budget: BandwidthBudget
  /// Whether it runs although its schedule or the day's quota says no.
  let isForced: Bool
  /// When it began.
  let began: Moment
  /// Set when the run is to end early.
  let stopped = CancellationFlag()
  /// Compares what an earlier run left.
  let audit = Audit()
  /// Checks pieces while the file comes.
  let pieceWatch = PieceWatch()
  /// Reads what describes the file.
  let describing = Monitor<BlockingOperation?>(nil)
  /// Counts changes that may give a waiting worker something to do.
  private let changes = Monitor(0)

  init(_ transfer: Transfer, _ context: RunContext, isForced: Bool = false) {
    self.transfer = transfer
    self.context = context
    core = Monitor(RunCore(transfer, rule: context.rule))
    budget = BandwidthBudget(rate: transfer.request.rateLimit)
    self.isForced = isForced
    began = context.clock.now()
  }

  /// Runs the transfer to its end; blocks the thread all the while.
  func run() -> OperationResult {
    core.withLock { $0.workers = 1 }
    defer { leaveHosts() }
    do throws(Failure) {
      try openPartialFile()
      raceMirrors()
      findChecksum()
      work(0)
    } catch {
      stop(error.remedy == .waitForSpace ? .full(error) : .failed(error))
      leave()
    }
    waitForWorkers()
    audit.end()
    endDescribing()
    do throws(Failure) {
      try mendPieces()
    } catch {
      stop(.failed(error))
    }
    return conclude()
  }

  /// Ends the run early; returns at once, the run's own thread concludes.
  func stop(_ reason: RunEnding) {
    act(core.withLock { $0.stop(reason) })
    stopped.cancel()
    signal()
  }

  /// Looks at everything that depends on time; call it a few times a second.
  func tick() {
    let now = context.clock.now()
    let hosts = grants(at: now)
    followLimit()
    let (silence, grown, surplus) = core.withLock { core in
      (core.noticeSilence(at: now), core.grow(at: now, hosts: hosts), core.surplus(over: hosts))
    }
    if let silence { context.tell(silence) }
    for connection in surplus { connection.cancel() }
    replaceNarrow()
    spawn(grown)
    reserveSpace()
    signal()
  }

  /// Wakes every worker that waits for something to do.
  func signal() {
    changes.withLock { $0 &+= 1 }
  }
}

extension TransferRun {
  /// Worker `number`: fetches until there is nothing left for it.
  func work(_ number: Int) {
    while let job = nextJob(number) {
      job.overtaken?.cancel()
      if job.endsWait { context.tell(.retrying) }
      let outcome = Exchange(run: self, number: number, job: job).make()
      let now = context.clock.now()
      let jitter = outcome.mayRetry ? context.clock.random() : 0
      let aftermath = core.withLock { $0.settle(number, job, outcome, at: now, jitter: jitter) }
      learn(job.link.origin, outcome, aftermath, now)
      act(aftermath)
      signal()
    }
    leave()
  }

  /// Tells the host table what an exchange has shown.
  private func learn(
    _ origin: Origin,
    _ outcome: FetchOutcome,
    _ aftermath: Aftermath,
    _ now: Moment
  ) {
    if let working = aftermath.working {
      context.hosts.refused(origin, working: working, at: now)
    }
    if let asked = outcome.retryAfter {
      context.hosts.hold(origin, until: now + min(asked, context.rule.longestAsked))
    }
  }

  private func leave() {
    core.withLock { $0.workers -= 1 }
    signal()
  }

  func waitForWorkers() {
    while true {
      let seen = changes.read { $0 }
      if core.withLock({ $0.workers == 0 }) { return }
      changes.wait { $0 != seen ? () : nil }
    }
  }

  private func nextJob(_ number: Int) -> Job? {
    while true {
      if core.withLock({ $0.isOver }) { return nil }
      let seen = changes.read { $0 }
      let now = context.clock.now()
      followLimit()
      let hosts = grants(at: now)
      switch core.withLock({ $0.step(number, at: now, hosts: hosts) }) {
      case .fetch(let job):
        join(job.link.origin)
        return job
      case .leave: return nil
      case .wait:
        if number == 0 { tellWait(at: now, hosts) }
        rest(number, until: { $0 != seen })
      }
    }
  }

  /// What the hosts of its sources grant this run.
  func grants(at now: Moment) -> HostGrants {
    context.hosts.grants(core.withLock { $0.origins }, at: now)
  }

  private func tellWait(at now: Moment, _ hosts: HostGrants) {
    guard let wait = core.withLock({ $0.untoldWait(at: now, hosts) }) else { return }
    context.tell(.retryScheduled(wait))
  }

  /// A host is joined when it is asked for the first time.
  private func join(_ origin: Origin) {
    if core.withLock({ $0.joined.insert(origin).inserted }) { context.hosts.join(origin) }
  }

  private func leaveHosts() {
    for origin in core.withLock({ $0.joined }) { context.hosts.leave(origin) }
  }

  private func rest(_ number: Int, until changed: (Int) -> Bool) {
    let isIdle = number == 0 && core.withLock { $0.live.isEmpty }
    if isIdle { context.waits(true) }
    changes.wait { changed($0) ? () : nil }
    if isIdle { context.waits(false) }
  }

  /// Starts more workers on the connections' queue.
  func spawn(_ numbers: [Int]) {
    for number in numbers {
      let operation = BlockingOperation(name: "connection") { [self] _ in
        work(number)
        return .succeeded
      }
      operation.observe { [self] state in
        switch state {
        case .ready, .executing, .finished: break
        // It never ran: it was taken out of the queue, or the system had no thread for it.
        case .cancelled, .failed: leave()
        }
      }
      do {
        try context.connections.add(operation)
      } catch {
        leave()
      }
    }
  }

  /// Does what the core decided.
  func act(_ aftermath: Aftermath) {
    for connection in aftermath.cancel { connection.cancel() }
    if let note = aftermath.note { context.note(note) }
    for event in aftermath.events { context.tell(event) }
    aftermath.dropped?.cancel()
  }
}

extension TransferRun {
  /// Opens what an earlier run left, unless there is nothing that could be continued.
  private func openPartialFile() throws(Failure) {
    guard let identity = transfer.file, let name = transfer.answer?.name else {
      context.ledger.forgetAll()
      return core.withLock { $0.forgetEverything() }
    }
    do throws(StorageError) {
      let file = try reopen(name, identity)
      _ = context.own(file)
      believe(file)
    } catch {
      guard error.failure.kind == .partialGone else { throw error.failure }
      core.withLock { $0.forgetEverything() }
      // Where nothing was claimed, nothing is lost.
      if !transfer.have.isEmpty { context.tell(.restarted(error.failure)) }
    }
  }

  private func reopen(
    _ name: String,
    _ identity: FileIdentity
  ) throws(StorageError) -> PartialFile {
    if let held = context.held(), held.identity == identity,
      held.waitsForName || held.isStillThere()
    {
      return held
    }
    do throws(StorageError) {
      return try PartialFile.reopen(
        in: transfer.request.directory,
        name: name,
        identity: identity,
        finishedOnlyWith: transfer.have.isEmpty ? transfer.total?.bytes : nil
      )
    } catch {
      guard error.failure.kind == .partialGone, let copy = copy(name) else { throw error }
      return copy
    }
  }

  /// With several links, asks all at once and begins with the one that answers first.
  private func raceMirrors() {
    let links = transfer.request.mirrors
    guard links.count > 1, transfer.newLink == nil else { return }
    let race = MirrorRace(request: transfer.request, context: context)
    guard let winner = race.winner(unless: stopped) else { return }
    core.withLock { $0.lead = winner }
    context.note("\(links[winner].origin.host) answered first of \(links.count) mirrors")
  }

  /// Looks for a digest when that was asked for and none is known.
  private func findChecksum() {
    guard transfer.request.findsChecksum, core.withLock({ $0.expected == nil }) else { return }
    let search = ChecksumSearch(request: transfer.request, context: context)
    guard let found = search.checksum(unless: stopped) else { return }
    core.withLock { $0.searched = found }
  }
}
