// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine: the façade. Add, pause, resume, retry, remove, look; everything else is inside.
//
// A transfer that may run is an operation on the transfers' queue; its body is a `TransferRun`. What
// a run tells is applied to the table, marked for the recorder, and told to whoever watches.
//
// Owns     the table, both queues, the recorder with the session, the heartbeat; `shutDown` ends
//          them all and joins their threads.
// Threads  every method from any thread; none blocks but `shutDown`.
// Never    knows that a screen exists.

import Connections
public import Storage
import Synchronization
public import Transfers
import Workers

/// The engine of one session.
public final class TransferEngine: Sendable {
  let settings: EngineSettings
  let table: Monitor<TransferTable>
  let transfers: BlockingOperationQueue
  let connections: BlockingOperationQueue
  /// Deletes files of removed transfers, after their runs have ended.
  let housekeeping = BlockingOperationQueue(name: "housekeeping", limit: 1)
  let budget: BandwidthBudget
  let meter: DayMeter
  /// Where the budget's rate comes from.
  let timetable: Monitor<Timetable?>
  let hosts: HostTable
  let names = ReservedNames()
  /// Connections to one host, over all transfers; more only when more transfers are asked for.
  static let connectionsPerHost = 8
  let waiting = Atomic<Int>(0)
  /// Set when the engine shuts down; every run listens to it.
  let ending = CancellationFlag()
  private let lastID: Atomic<Int64>
  let beats = Atomic<Int>(0)
  private let heartbeat = Heartbeat()
  let recorder: Recorder

  /// Takes a session over.
  ///
  /// - Parameters:
  ///   - session: Belongs to the engine from now on.
  ///   - contents: What the session holds.
  ///   - settings: Limits, clock, and what is told to whom.
  /// - Throws: `Failure` when the system has no thread left.
  public init(
    _ session: sending Session,
    contents: SessionContents,
    settings: EngineSettings
  ) throws(Failure) {
    self.settings = settings
    lastID = Atomic(contents.lastID)
    var table = TransferTable()
    table.append(contents)
    self.table = Monitor(table)
    transfers = BlockingOperationQueue(name: "transfer", limit: settings.jobs)
    connections = BlockingOperationQueue(name: "connection", limit: 256)
    budget = BandwidthBudget(rate: nil)
    timetable = Monitor(settings.rateLimit)
    meter = DayMeter(quota: settings.quota, used: contents.usage)
    hosts = HostTable(
      cap: max(Self.connectionsPerHost, settings.jobs),
      known: contents.hosts,
      at: settings.clock.now(),
      settings.clock.wall()
    )
    recorder = Recorder(session, remembered: contents.transfers)
    let report = Report(
      session: settings.sessionTroubled,
      logged: { [weak self] in self?.logged($0) },
      disk: { [weak self] in self?.diskFailed($0, $1) },
      show: { [weak self] in self?.show($0, $1) },
      named: { [weak self] in self?.named($0, $1, $2) }
    )
    do throws(ThreadError) {
      try recorder.start(snapshot: { [weak self] in self?.snapshot($0) }, report: report)
      try heartbeat.start { [weak self] in self?.tick() }
    } catch {
      throw Failure(.unexpected, code: Int(error.code), detail: "no thread could be started")
    }
  }

  /// Adds transfers at the end of the queue, without starting them.
  ///
  /// - Returns: Their identities, in the same order.
  public func add(_ requests: [TransferRequest]) -> [TransferID] {
    let added = makeTransfers(requests)
    table.withLock { $0.append(added) }
    let ids = added.map(\.id)
    for id in ids { recorder.mark(id) }
    for id in ids { settings.changed(id) }
    return ids
  }

  /// Makes transfers that are not in the table yet.
  func makeTransfers(_ requests: [TransferRequest]) -> [Transfer] {
    let wall = settings.clock.wall()
    return requests.map { request in
      Transfer(
        id: TransferID(lastID.add(1, ordering: .relaxed).newValue),
        request: request,
        addedAt: wall
      )
    }
  }

  /// All transfers as they are now, in queue order.
  public func all() -> [Transfer] {
    table.withLock { $0.ordered.map(\.transfer) }
  }

  /// One transfer as it is now; nil when there is none.
  public func transfer(_ id: TransferID) -> Transfer? {
    look(id)?.transfer
  }

  /// Where these stand now, in their order and all at one moment; those that are gone are left out.
  public func states(_ ids: [TransferID]) -> [TransferState] {
    table.withLock { table in ids.compactMap { id in table.look(id) { $0.transfer.state } } }
  }

  /// One transfer as it is now, with what belongs to its bytes.
  func look(_ id: TransferID) -> EntryView? {
    guard var view = table.withLock({ $0.look(id) { $0.view } }) else { return nil }
    // Not under the table's lock, since a run has its own.
    if let run = view.run {
      // The place in a repair first: what was replaced before it is then among the bytes.
      view.transfer.repair = run.repair
      view.transfer.have = run.have
    }
    // After a sync that failed the next one says nothing of the bytes before.
    if view.isDistrusted { view.transfer.have = ByteRangeSet() }
    return view
  }

  /// The running transfers at this moment, for the screen's numbers.
  public func sample() -> [TransferSample] {
    let runs = table.withLock { $0.watchedEntries.compactMap(\.run) }
    return runs.map(\.sample)
  }

  /// Stops every run, writes the session and joins all threads.
  ///
  /// What was running stays as it is in the session and goes on next time. Blocks until all is on
  /// disk.
  public func shutDown() {
    // A run that begins before its queue has stopped is stopped by this as well.
    ending.cancel()
    transfers.shutdown()
    connections.shutdown()
    housekeeping.drain()
    housekeeping.shutdown()
    heartbeat.stop()
    rememberUsage()
    rememberHosts()
    recorder.close()
  }

  /// Makes the heartbeat look after what runs.
  func watch() {
    heartbeat.wake()
  }
}
