// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, at its end: checks the file, gives it its name, or says why there is none.
//
// Threads  the run's own thread, after every other worker has left.
// Never    calls a file done whose length or digest does not agree.

import Storage
import Synchronization
import Transfers
import Workers

extension TransferRun {
  /// Ends the run, once.
  func conclude() -> OperationResult {
    let (ending, checksum) = core.withLock { ($0.ending, $0.checksum) }
    guard let ending else { return complete() }
    checksum?.cancel()
    // Whoever hears of the end finds what is kept.
    core.withLock { $0.file }.map(context.awaitName)
    switch ending {
    case .paused, .removed, .shutDown:
      return .cancelled
    case .scheduled(let hold):
      context.tell(.paused(.scheduled(hold)))
      return .cancelled
    case .full(let failure):
      context.tell(.paused(.diskFull(failure)))
      return .failed(failure)
    case .failed(let failure):
      context.tell(.failed(failure))
      return .failed(failure)
    }
  }

  private func complete() -> OperationResult {
    guard context.tell(.completed) else {
      core.withLock { $0.checksum }?.cancel()
      return .cancelled
    }
    do throws(Failure) {
      guard let verification = try verify() else { return concludeEarly() }
      if !follow() { try settle(verification) }
      return .succeeded
    } catch {
      context.tell(.failed(error))
      return .failed(error)
    }
  }

  /// It was stopped while it was being repaired; what is there stays.
  private func concludeEarly() -> OperationResult {
    core.withLock({ $0.ending == nil }) ? .cancelled : conclude()
  }

  /// How the file was checked; nil when the run was stopped meanwhile.
  func verify() throws(Failure) -> Verification? {
    let (checksum, expected, total, file) = core.withLock {
      ($0.checksum, $0.expected, $0.plan.total ?? 0, $0.file)
    }
    guard let file else { throw Failure(.unexpected, detail: "no partial file") }
    do throws(Failure) {
      // Nobody else has been at a file that has no name.
      if !file.isNameless || file.waitsForName { try cut(file, to: total) }
    } catch {
      checksum?.cancel()
      throw error
    }
    let isLonger = core.withLock { $0.isLongerThanListed }
    if let size = transfer.request.size, size.bytes != total || isLonger {
      checksum?.cancel()
      let found = isLonger ? "more than \(total)" : "\(total)"
      throw Failure(.notTheFile, detail: "\(found) bytes where the list says \(size.bytes)")
    }
    guard let expected else { return try verifyByPieces(file) }
    let first = try digest(checksum, expected.algorithm, of: file, total)
    if first == expected.digest { return .checked(expected.algorithm) }
    guard isLengthKnown else { return try fetchAnew(expected, found: first, file) }
    guard let found = try repair(file, total, expected, found: first) else { return nil }
    if found == expected.digest { return .checked(expected.algorithm) }
    throw mismatch(expected, found, file)
  }

  /// Digests of all pieces say as much as one of the whole.
  private func verifyByPieces(_ file: PartialFile) throws(Failure) -> Verification {
    let (pieces, wrong) = core.withLock { ($0.pieces?.digests, $0.wrongPieces) }
    guard let pieces else {
      return isLengthKnown ? .lengthOnly : .unverified
    }
    if wrong == 0 { return .checked(pieces.algorithm) }
    throw Failure(
      .checksumDiffers,
      detail: "\(wrong) of \(pieces.count) pieces differ from their digests;"
        + " kept as \(setAside(file))"
    )
  }

  /// Keeps a wrong file beside the place of the right one.
  ///
  /// - Returns: The name it has now.
  private func setAside(_ file: PartialFile) -> String {
    // Only the recorder gives names to what has none.
    context.awaitName(file)
    let kept = (try? file.setAside(suffix: ".bad")) ?? file.name
    _ = context.own(file)
    return kept
  }

  /// The digest that ran along, or one made now when all bytes were there from the start.
  func digest(
    _ running: RunningChecksum?,
    _ algorithm: ChecksumAlgorithm,
    of file: PartialFile,
    _ total: Int64
  ) throws(Failure) -> [UInt8] {
    if let running {
      if running.algorithm == algorithm { return try running.finish(total: total) }
      running.cancel()
    }
    return try RunningChecksum(algorithm, of: file, have: have).finish(total: total)
  }

  /// Drops what stands behind the last byte; a file that is too short was cut by somebody else.
  private func cut(_ file: PartialFile, to total: Int64) throws(Failure) {
    let size = file.size
    if size == total { return }
    guard size > total else {
      throw Failure(.partialGone, detail: "\(file.name).part was cut to \(size) bytes")
    }
    do throws(StorageError) {
      try file.truncate(to: total)
    } catch {
      throw error.failure
    }
  }

  private var isLengthKnown: Bool {
    core.withLock { $0.answer?.total != nil }
  }

  func mismatch(_ expected: Checksum, _ found: [UInt8], _ file: PartialFile) -> Failure {
    Failure(
      .checksumDiffers,
      detail: "expected \(expected.hex), found \(hexadecimal(found));"
        + " kept as \(setAside(file))"
    )
  }

  /// Gives the file its name, or the next free number when that was taken meanwhile.
  ///
  /// What has its final name is on the disk, whenever the power goes: a large file is synced here,
  /// small ones are left to the recorder, which syncs and names many at once, as are those that it
  /// has not given `NAME.part` yet.
  private func settle(_ verification: Verification) throws(Failure) {
    let (held, count) = core.withLock { ($0.file, $0.plan.have.count) }
    guard let file = held else { throw Failure(.unexpected) }
    var naming = Naming(file: file, verification: verification)
    guard count >= Claim.aloneFrom else { return core.withLock { $0.naming = naming } }
    do throws(StorageError) {
      try file.sync()
      naming.isSynced = true
      if file.waitsForName { return core.withLock { $0.naming = naming } }
      tellName(try naming.name())
    } catch {
      throw error.failure
    }
    context.tell(.finished(Completion(at: context.clock.wall(), verification: verification)))
  }

  /// A name that was taken at the last moment is told like an answer.
  func tellName(_ name: String) {
    guard let answer = core.withLock({ $0.answer }), answer.name != name else { return }
    context.tell(.renamed(name))
  }
}
