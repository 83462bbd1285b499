// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine, commands: what a user can do to transfers.
//
// Threads  any; commands return at once, their effect is told through `changed`.

import Storage
import Synchronization
public import Transfers
import Workers

extension TransferEngine {
  /// Lets queued transfers run, in the given order.
  ///
  /// - Parameters:
  ///   - ids: Those that are queued; others are left alone.
  ///   - whenAllEnded: Called once, on a worker thread, when each of them has ended for now:
  ///     finished, failed, paused or removed; one that waits for its time is paused.
  public func start(_ ids: [TransferID], whenAllEnded: (@Sendable () -> Void)? = nil) {
    let operations = ids.compactMap(enqueue)
    watch()
    guard let whenAllEnded else { return }
    let completion = BlockingOperation(name: "batch ended") { [self] _ in
      recorder.waitUntilNamed(ids, unless: ending)
      whenAllEnded()
      return .succeeded
    }
    completion.observe { if case .cancelled = $0 { whenAllEnded() } }
    do {
      try transfers.addCompletion(completion, whenAllEnded: operations)
    } catch {
      whenAllEnded()
    }
  }

  /// Makes the operation of one queued transfer whose time it is.
  private func enqueue(_ id: TransferID) -> BlockingOperation? {
    if holdBack(id) { return nil }
    let operation = BlockingOperation(name: "transfer \(id.number)") { [self] _ in execute(id) }
    let earlier = table.withLock { table in
      table.update(id) { entry -> [BlockingOperation]? in
        guard entry.transfer.state == .queued else { return nil }
        let earlier = entry.operations.filter { !$0.state.hasEnded }
        entry.operations = earlier + [operation]
        return earlier
      }
    }
    guard let found = earlier, let earlier = found else { return nil }
    do {
      if earlier.isEmpty {
        try transfers.add(operation)
      } else {
        try transfers.addCompletion(operation, whenAllEnded: earlier)
      }
      return operation
    } catch {
      operation.cancel()
      return nil
    }
  }

  /// Pauses transfers; what they have stays.
  public func pause(_ ids: [TransferID]) {
    for id in ids {
      guard let entry = applied(id, .paused(.byUser), { $0 }) else { continue }
      _ = table.withLock { table in table.update(id) { $0.isForced = false } }
      entry.run?.stop(.paused)
      for operation in entry.operations { operation.cancel() }
    }
  }

  /// Lets paused and failed transfers run again; those that wait for their next try, or for their
  /// time, begin now.
  public func resume(_ ids: [TransferID]) {
    for id in ids {
      force(id)
      retryNow(id)
    }
    goOn(ids)
  }

  /// Lets paused and failed transfers run again when it is their time.
  func goOn(_ ids: [TransferID]) {
    start(ids.filter { forgetIfUseless($0) && apply($0, .resumed) })
  }

  /// Takes transfers off the list.
  ///
  /// - Parameters:
  ///   - ids: Which.
  ///   - deleteFiles: Whether what is on disk is deleted too, finished or not; a file that is no
  ///     longer the one that was written stays.
  public func remove(_ ids: [TransferID], deleteFiles: Bool) {
    for id in ids { _ = apply(id, .cancelled) }
    let removed = table.withLock { $0.remove(Set(ids)) }
    var kept: [TransferID: PartialFile] = [:]
    for entry in removed {
      entry.run?.stop(.removed)
      for operation in entry.operations { operation.cancel() }
      if deleteFiles { discardLater(entry) }
      if !deleteFiles, let file = entry.file, file.waitsForName { kept[entry.transfer.id] = file }
    }
    recorder.remove(ids, keeping: kept)
    for id in ids { settings.changed(id) }
  }

  /// Gives a transfer that is not running a new request, and queues it if it stood still.
  ///
  /// Bytes on disk stay; the server has to prove that they belong to the new request.
  public func renew(_ id: TransferID, _ request: TransferRequest) {
    guard forgetIfUseless(id) else { return }
    _ = table.withLock { table in
      table.update(id) { entry in
        if entry.run == nil { entry.transfer.request = request }
      }
    }
    if !apply(id, .resumed) { recorder.mark(id) }
  }

  /// Gives a transfer that is not finished another link in place of its first, and lets it run.
  ///
  /// Every byte stays: the new link has to have the file's length and three blocks equal to what is
  /// on disk, then it takes the place of the old one. When it has another file, or cannot be asked,
  /// the transfer fails and keeps the old link. Header fields stay with the origin of the old one.
  ///
  /// - Returns: Whether it could be taken; false when the file is complete or the transfer is gone.
  public func relink(_ id: TransferID, _ link: Link) -> Bool {
    pause([id])
    let isTaken = table.withLock { table in
      table.update(id) { entry in entry.transfer.take(newLink: link) } ?? false
    }
    guard isTaken, apply(id, .resumed) else { return false }
    note(id, "asked to go on from \(link.shown)")
    start([id])
    return true
  }

  private func retryNow(_ id: TransferID) {
    let run = table.withLock { $0.look(id) { $0.run } } ?? nil
    run?.retryNow()
  }

  /// Bytes that were proved wrong are dropped before the next attempt.
  private func forgetIfUseless(_ id: TransferID) -> Bool {
    let useless = table.withLock { table in
      table.update(id) { entry -> BlockLedger? in
        guard case .failed(let failure) = entry.transfer.state else { return nil }
        guard failure.remedy == .restart || failure.kind == .checksumDiffers else { return nil }
        let file = entry.transfer.file
        entry.transfer.forgetBytes()
        // The next attempt begins in the same file, under the same name.
        entry.transfer.file = file
        return entry.ledger
      }
    }
    useless??.forgetAll()
    return useless != nil
  }

  /// Deletes a removed transfer's file as soon as its run has let go of it; the inode decides
  /// whether it is still ours.
  private func discardLater(_ entry: TransferEntry) {
    let transfer = entry.transfer
    let open = entry.file ?? entry.heldFile
    let operation = BlockingOperation(name: "discard") { _ in
      (open ?? Self.reopen(transfer))?.discard(finishedAs: transfer.answer?.name)
      return .succeeded
    }
    try? housekeeping.addCompletion(operation, whenAllEnded: entry.operations)
  }

  private static func reopen(_ transfer: Transfer) -> PartialFile? {
    guard let identity = transfer.file, let name = transfer.answer?.name else { return nil }
    return try? PartialFile.reopen(
      in: transfer.request.directory,
      name: name,
      identity: identity
    )
  }
}

extension Transfer {
  /// Takes a new link where it stands still; bytes whose digest differed are of no use to it.
  fileprivate mutating func take(newLink link: Link) -> Bool {
    switch state {
    case .failed(let failure) where failure.kind == .checksumDiffers: forgetBytes()
    case .failed, .paused: break
    case .queued, .connecting, .downloading, .stalled, .waitingForRetry, .verifying, .finished,
      .cancelled:
      return false
    }
    newLink = link
    return true
  }
}
