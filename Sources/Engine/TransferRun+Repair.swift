// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, when all bytes are there and the digest is another: the file is fetched once more and
// held against the disk, from another source if there is one, with ranges or without.
//
// Rule     At most two passes, counted in the session: a pause or the end of the program costs neither
//          the place in a pass nor gives another one. One that replaces nothing is the last where no
//          other source is left: what is expected is wrong, or all have the same bytes. A file
//          without a length is fetched anew in place of a pass.
// Threads  the run's own, after every other worker has left.
// Never    takes a claim back: until the digest agrees, the file is what it was, a download.

import Connections
import Storage
import Transfers
import Workers

extension TransferRun {
  /// Repairs a file whose digest is `found`.
  ///
  /// - Returns: The digest it has in the end; nil when the run was stopped.
  func repair(
    _ file: PartialFile,
    _ total: Int64,
    _ expected: Checksum,
    found: [UInt8]
  ) throws(Failure) -> [UInt8]? {
    var found = found
    let sources = core.withLock { $0.sourcesToRepairFrom }
    while let begun = core.withLock({ $0.passToMake }) {
      let source = sources[min(begun.pass, sources.count - 1)]
      guard context.tell(.repairing(expected.algorithm)) else { return nil }
      let intake = try compare(file, total, with: source, from: begun)
      note(intake, source)
      guard core.withLock({ $0.ending == nil }), context.tell(.completed) else { return nil }
      if intake.replaced > 0 { found = try digest(nil, expected.algorithm, of: file, total) }
      if found == expected.digest { break }
      let isUseless =
        intake.isComplete && intake.replaced == 0 && begun.pass + 1 >= sources.count
      core.withLock { $0.endPass(begun.pass, isLast: isUseless) }
    }
    return found
  }

  /// One pass; it goes on where an answer broke off, as often as a transfer is tried at all.
  private func compare(
    _ file: PartialFile,
    _ total: Int64,
    with source: Int,
    from begun: RepairProgress
  ) throws(Failure) -> RepairIntake {
    if begun.offset > 0 { context.note("the comparison goes on at byte \(begun.offset)") }
    var intake = RepairIntake(self, file, total: total, from: begun)
    for _ in 0..<context.rule.limit where !intake.isComplete {
      let before = intake.offset
      fetch(source, into: &intake)
      if let refusal = intake.refusal, refusal.kind != .wrongRange { throw refusal }
      if intake.refusal != nil || intake.offset == before { break }
    }
    return intake
  }

  private func fetch(_ source: Int, into intake: inout RepairIntake) {
    let connection = context.connect()
    guard let link = register(connection, source) else { return }
    var request = request(for: link.link, isFound: link.isFound)
    let asksWhole = intake.offset == 0 || link.withoutRange || link.isStream
    request.range = asksWhole ? .whole : .from(intake.offset)
    let outcome: FetchOutcome
    do throws(ConnectionError) {
      _ = try connection.run(
        request,
        onHead: { intake.begin($0) },
        onChunk: { intake.take($0) }
      )
      outcome = .ended
    } catch {
      outcome = FetchOutcome(error)
    }
    core.withLock { $0.live[0] = nil }
    context.record(
      ExchangeRecord(
        number: 0,
        host: link.link.origin.host,
        asked: request.range,
        trace: connection.trace,
        outcome: outcome
      )
    )
  }

  private func register(_ connection: any Connection, _ number: Int) -> Source? {
    core.withLock { core in
      guard core.ending == nil else { return nil }
      core.live[0] = LiveExchange(
        connection: connection,
        generation: core.generation,
        source: number,
        origin: core.sources[number].link.origin,
        isReceiving: true
      )
      return core.sources[number]
    }
  }

  /// Fetches a file without a length again from its start: what differs may be where it ends.
  ///
  /// - Returns: How it was checked in the end; nil when the run was stopped.
  func fetchAnew(
    _ expected: Checksum,
    found: [UInt8],
    _ file: PartialFile
  ) throws(Failure) -> Verification? {
    let now = context.clock.now()
    guard let aftermath = core.withLock({ $0.beginAnew(after: found, now) })
    else { throw mismatch(expected, found, file) }
    act(aftermath)
    work(0)
    waitForWorkers()
    try mendPieces()
    guard core.withLock({ $0.ending == nil }), context.tell(.completed) else { return nil }
    return try verify()
  }

  private func note(_ intake: RepairIntake, _ source: Int) {
    let host = core.withLock { $0.sources[source].link.origin.host }
    let end = intake.isComplete ? "" : ", stopped at byte \(intake.offset)"
    context.note(
      "compared with \(host): \(intake.replaced) bytes in \(intake.blocks) blocks replaced\(end)"
    )
  }
}

extension RunCore {
  /// How often a file is fetched again for its digest, however often the program begins anew.
  private static let passes = 2

  /// The pass that comes next, or where the one that was begun has to go on.
  fileprivate var passToMake: RepairProgress? {
    let place = repair ?? RepairProgress()
    return place.pass < Self.passes ? place : nil
  }

  fileprivate mutating func endPass(_ pass: Int, isLast: Bool) {
    repair = RepairProgress(pass: isLast ? Self.passes : pass + 1)
  }

  /// Drops a file whose digest was that, unless it was the same before: then it would be again.
  fileprivate mutating func beginAnew(after found: [UInt8], _ now: Moment) -> Aftermath? {
    guard let place = passToMake, found != wrongDigest, restarts < Self.restartLimit
    else { return nil }
    let told = announced.checksum
    let others = usable.filter { $0 != lead && !sources[$0].isFound }
    let next = others.first { $0 > lead } ?? others.first
    let failure = Failure(.checksumDiffers, detail: "without a length it is fetched whole again")
    let aftermath = restart(failure, now)
    // Without it the second try would pass unchecked.
    announced.checksum = told
    wrongDigest = found
    repair = RepairProgress(pass: place.pass + 1)
    lead = next ?? lead
    workers += 1
    return aftermath
  }

  /// Those that did not give the file first, then a stream that others were let help; it gave the front
  /// only.
  fileprivate var sourcesToRepairFrom: [Int] {
    let streams = sources.indices.filter {
      sources[$0].isStream && !sources[$0].isUsable && $0 != lead
    }
    return usable.filter { $0 != lead } + streams + [lead]
  }
}
