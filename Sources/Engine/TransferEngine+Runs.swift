// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine, inside: carrying out runs, and taking in what they tell.
//
// Threads  the transfers' queue runs `execute`; events come from every worker.
// Holds    an event is applied, marked for the recorder and told, in this order.

import Connections
import Storage
import Synchronization
import Transfers
import Workers

extension TransferEngine {
  /// The body of a transfer's operation.
  func execute(_ id: TransferID) -> OperationResult {
    guard !holdBack(id), let run = beginRun(id) else { return .cancelled }
    followTimetable()
    watch()
    let result = ending.withHook({ run.stop(.shutDown) }, during: { run.run() })
    if let naming = endRun(id, run) { recorder.name(id, naming, unless: ending) }
    return result
  }

  /// Gives a queued transfer its run; both at once, so that a pause finds either or neither.
  private func beginRun(_ id: TransferID) -> TransferRun? {
    let context = context(for: id)
    let line = LogEntry(at: settings.clock.wall(), matter: .event(.started))
    let begun = table.withLock { table in
      table.update(id) { entry -> TransferRun? in
        guard entry.run == nil, !ending.isCancelled, entry.transfer.apply(.started)
        else { return nil }
        entry.log.note(line)
        let run = TransferRun(entry.transfer, context, isForced: entry.isForced)
        entry.run = run
        return run
      }
    }
    guard let run = begun ?? nil else { return nil }
    settings.changed(id)
    return run
  }

  /// - Returns: What is left to be named.
  private func endRun(_ id: TransferID, _ run: TransferRun) -> Naming? {
    let (have, repair, naming) = (run.have, run.repair, run.naming)
    // A file that is about to be finished is not resumed.
    let stamp = naming == nil ? run.stamp : nil
    let found = table.withLock { table in
      table.update(id) { entry in
        entry.run = nil
        if run.isForced { entry.isForced = false }
        let isDistrusted = entry.isDistrusted
        entry.transfer.have = isDistrusted ? ByteRangeSet() : have
        let isOver = naming != nil || entry.transfer.state.isFinished
        entry.transfer.repair = isDistrusted || isOver ? nil : repair
        entry.stamp = stamp
        entry.isDistrusted = false
        defer { entry.letGo() }
        return (entry.file, isDistrusted ? entry.ledger : nil)
      }
    }
    guard let (file, distrusted) = found else { return nil }
    settings.changed(id)
    guard let distrusted else {
      if naming == nil { recorder.mark(id, keeping: file) }
      return naming
    }
    distrusted.forgetAll()
    recorder.mark(id, keeping: file)
    if naming != nil { apply(id, .failed(Failure(.diskFault))) }
    return nil
  }

  /// Gives a file `NAME.part`, or the next free number; its bytes may be claimed after that.
  func show(_ id: TransferID, _ file: PartialFile) {
    let planned = file.name
    do throws(StorageError) {
      try file.show { TransferRun.candidate(planned, insteadOf: file.wish, $0) }
      if file.name != planned { apply(id, .renamed(file.name)) }
      recorder.mark(id, keeping: file)
    } catch {
      file.discard()
      diskFailed(id, error.failure)
    }
  }

  /// Takes the name that a complete file got; of a transfer that was removed meanwhile it keeps
  /// none but that of a file that had one before.
  func named(_ id: TransferID, _ naming: Naming, _ name: String) {
    if name != naming.file.name { apply(id, .renamed(name)) }
    let verification = naming.verification
    let completion = Completion(at: settings.clock.wall(), verification: verification)
    if apply(id, .finished(completion)) {
      _ = table.withLock { table in table.update(id) { $0.operations = [] } }
    } else if naming.file.isNameless || naming.file.isDiscarded {
      naming.file.discard(finishedAs: name)
    }
  }

  /// A transfer as it is now, and what must be on disk before the session may say so.
  func snapshot(_ id: TransferID) -> Snapshot? {
    // The revision comes before the claim, or bytes given up in between would go unnoticed.
    guard let ledger = table.withLock({ $0.look(id) { $0.ledger } }) else { return nil }
    let revision = ledger.revision
    return look(id).map { view in
      Snapshot(
        transfer: view.claimed,
        claim: view.claim,
        file: view.file,
        log: view.log,
        ledger: ledger,
        revision: revision
      )
    }
  }

  private func context(for id: TransferID) -> RunContext {
    let ledger = table.withLock { $0.look(id) { $0.ledger } }
    return RunContext(
      clock: settings.clock,
      rule: settings.rule,
      connect: settings.connect,
      hosts: hosts,
      budget: budget,
      meter: meter,
      connections: connections,
      decode: settings.decode,
      describe: settings.describe,
      replace: { [unowned self] in replace(id, by: $0) },
      say: settings.told,
      announce: { [unowned self] in announce(id, $0) },
      emit: { [unowned self] in apply(id, $0) },
      own: { [unowned self] in own(id, $0) },
      held: { [unowned self] in table.withLock { $0.look(id) { $0.heldFile } } ?? nil },
      reserve: { [unowned self] in names.reserve($0) },
      awaitName: { [unowned self] in recorder.waitUntilShown(id, $0, unless: ending) },
      unclaim: { [unowned self] in recorder.waitUntilUnclaimed(id, unless: $0) },
      stamp: { [unowned self] in table.withLock { $0.look(id) { $0.stamp } } ?? nil },
      ledger: ledger ?? BlockLedger(),
      note: { [unowned self] in note(id, $0) },
      record: { [unowned self] in log(id, .exchange($0)) },
      waits: { [unowned self] in waits($0) }
    )
  }

  private func announce(_ id: TransferID, _ announced: Announced) {
    _ = table.withLock { table in
      table.update(id) { entry in entry.transfer.announce { $0 = announced } }
    }
    recorder.mark(id)
  }

  private func own(_ id: TransferID, _ file: PartialFile) -> Bool {
    let isLate = table.withLock { table in table.update(id) { $0.own(file) } }
    if isLate == true { recorder.mark(id) }
    return isLate != nil
  }

  /// A run that only waits lends its place in the queue to another transfer.
  private func waits(_ isWaiting: Bool) {
    var count = waiting.add(isWaiting ? 1 : -1, ordering: .sequentiallyConsistent).newValue
    while true {
      transfers.limit = settings.jobs + max(0, min(count, 64))
      // Of several at once, the one that sets the limit last has seen the last count.
      let latest = waiting.load(ordering: .sequentiallyConsistent)
      if latest == count { return }
      count = latest
    }
  }

  /// Applies an event.
  ///
  /// - Returns: Whether it was legal; when not, nothing has changed.
  @discardableResult
  func apply(_ id: TransferID, _ event: TransferEvent) -> Bool {
    applied(id, event) { _ in } != nil
  }

  /// Applies an event.
  ///
  /// - Parameters:
  ///   - id: Whose.
  ///   - event: What happened.
  ///   - look: Called with the entry right after it, under the table's lock.
  /// - Returns: What `look` returned; nil when the event was not legal.
  func applied<R: Sendable>(
    _ id: TransferID,
    _ event: TransferEvent,
    _ look: (TransferEntry) -> R
  ) -> R? {
    let line = LogEntry(at: settings.clock.wall(), matter: .event(event))
    let applied = table.withLock { table in
      table.update(id) { entry -> Applied<R>? in
        let newLink = entry.transfer.newLink
        guard entry.transfer.apply(event) else { return nil }
        if case .answered = event { entry.transfer.file = entry.file?.identity }
        if case .failed(let failure) = event, failure.kind == .checksumDiffers {
          entry.transfer.file = nil
        }
        entry.log.note(line)
        if newLink != nil, case .failed = event {
          let text = "the old link is kept, and every byte"
          entry.log.note(LogEntry(at: line.at, matter: .note(text)))
        }
        return Applied(seen: look(entry), ledger: entry.ledger, hasFile: entry.file != nil)
      }
    }
    guard let applied, let applied else { return nil }
    if case .restarted = event { applied.ledger.forgetAll() }
    if event.isRemembered(withFile: applied.hasFile) { recorder.mark(id) }
    settings.changed(id)
    return applied.seen
  }

  /// The disk refused to keep bytes: since nobody knows which, none is believed any more, and the
  /// run ends; without one, the transfer has failed.
  func diskFailed(_ id: TransferID, _ failure: Failure) {
    let run = table.withLock { table in
      table.update(id) { entry -> TransferRun? in
        entry.isDistrusted = entry.run != nil
        if entry.run == nil { entry.forgetBytes() }
        return entry.run
      }
    }
    note(id, "\(failure.short): \(failure.detail)")
    if let run = run ?? nil {
      run.stop(failure.remedy == .waitForSpace ? .full(failure) : .failed(failure))
    } else {
      apply(id, .failed(failure))
    }
  }
}

/// What came of an event.
private struct Applied<R: Sendable>: Sendable {
  let seen: R
  let ledger: BlockLedger
  /// Whether there is a file whose bytes the event may be about.
  let hasFile: Bool
}

extension TransferEngine {
  /// Every so many beats of the heartbeat the session gets what has come since.
  static let beatsBetweenMarks = 4

  /// Looks at everything that depends on time.
  ///
  /// Called by the heartbeat four times a second; a test calls it by hand.
  ///
  /// - Returns: When to look again; nil when nothing runs or waits.
  @discardableResult
  public func tick() -> Duration? {
    let beat = beats.add(1, ordering: .relaxed).newValue
    followTimetable()
    let entries = table.withLock { $0.watchedEntries }
    for entry in entries { entry.run?.tick() }
    if beat % Self.beatsBetweenMarks == 0 {
      rememberProgress(entries)
      rememberUsage()
      rememberHosts()
    }
    if beat % 8 == 0 { resumeWhereThereIsRoom(entries.map(\.transfer)) }
    followSchedules(entries)
    return nextLook(table.withLock { $0.watchedEntries })
  }

  /// Has the recorder write down what was received today.
  func rememberUsage() {
    let now = settings.clock.local(settings.clock.wall())
    if let usage = meter.news(now.dayNumber) { recorder.use(usage) }
  }

  /// Has the recorder write down what was learnt of hosts since it was asked last.
  func rememberHosts() {
    guard let known = hosts.news(at: settings.clock.now(), settings.clock.wall()) else { return }
    recorder.know(known)
  }

  private func resumeWhereThereIsRoom(_ transfers: [Transfer]) {
    for transfer in transfers where transfer.state.waitsForSpace {
      guard let space = try? Disk.freeSpace(in: transfer.request.directory) else { continue }
      let missing = (transfer.total ?? 0) - transfer.received
      if space.free > missing + ByteCount(1024 * 1024) { goOn([transfer.id]) }
    }
  }
}

extension TransferState {
  /// Whether it goes on by itself as soon as the disk has room.
  var waitsForSpace: Bool {
    if case .paused(.diskFull) = self { true } else { false }
  }
}
