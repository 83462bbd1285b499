// SPDX-License-Identifier: Apache-2.0
//
// Intake: what becomes of one answer: its head is judged, known bytes compared, the rest written.
//
// Threads  lives on its worker's stack; the connection calls back on the same thread.
// Never    writes a byte before the head was accepted and the overlap found equal, and none of a
//          sample.

import Connections
import Storage
import Transfers
import Workers

/// The taking in of one answer.
struct Intake {
  private let run: TransferRun
  private let number: Int
  private let job: Job
  /// How much the server may send before any of it is taken, where that is little.
  private let window: ByteCount?
  /// So many bytes were counted when the server sent them: the last ones need no grant.
  private var ahead: Int64 = 0
  /// What is still to come of the answer, as far as it is known.
  private var left = Int64.max
  private var accepted: Accepted?
  private var proof: OverlapProof?
  private var writer: SegmentWriter?
  private var refusal: AnswerVerdict?

  /// A head that has been accepted, with its file.
  private struct Accepted {
    let head: ResponseHead
    let total: Int64?
    let isRanged: Bool
    let place: BodyPlace
  }

  init(_ run: TransferRun, number: Int, job: Job, window: ByteCount?) {
    self.window = window
    self.run = run
    self.number = number
    self.job = job
  }

  /// Judges the head and, when it is accepted, gets ready for the body.
  mutating func begin(_ head: ResponseHead) -> HeadVerdict {
    let verdict = refuseSample(head) ?? job.expectation.judge(head)
    switch verdict {
    case .accept(_, let told, let isRanged):
      countAhead(of: head)
      let total = isRanged ? told : run.core.withLock { $0.lengthOfStream(told) }
      return accept(head, total: total, isRanged: isRanged)
    case .empty:
      return accept(head, total: 0, isRanged: false)
    case .askWithoutRange, .askWithDate, .unproven, .differs, .foreign, .changed, .expired,
      .failed:
      refusal = verdict
      return .reject
    }
  }

  /// Takes as much of a chunk as the limits let through; the bytes are valid during the call only.
  mutating func take(_ chunk: UnsafeRawBufferPointer) -> ChunkVerdict {
    if chunk.isEmpty { return takeGranted(chunk) }
    let counted = Int(min(Int64(chunk.count), max(0, left - ahead)))
    let grant = run.grant(chunk.count, counted: counted, number)
    if left < .max { left -= Int64(grant.bytes) }
    defer { run.context.meter.took(grant.bytes) }
    if grant.bytes == chunk.count { return takeGranted(chunk) }
    let part = UnsafeRawBufferPointer(rebasing: chunk[..<grant.bytes])
    let verdict = part.isEmpty ? .more : takeGranted(part)
    return verdict == .more ? .taken(grant.bytes, pause: grant.pause) : verdict
  }

  /// Counts what comes at once, whatever is taken: about half of what the window will hold, but all of
  /// the least one.
  private mutating func countAhead(of head: ResponseHead) {
    guard let window, let length = head.bodyLength, length > window.bytes else { return }
    (ahead, left) = (max(window.bytes / 2, min(window.bytes, 4096)), length)
    run.owe(ByteCount(ahead), number)
  }

  private mutating func takeGranted(_ chunk: UnsafeRawBufferPointer) -> ChunkVerdict {
    guard proof != nil else { return writer?.take(chunk) ?? .stop }
    guard let known = compare(chunk) else { return .stop }
    if job.kind == .sample { return known < chunk.count ? .enough : .more }
    if proof?.isComplete == true {
      proof = nil
      guard startWriting() else { return .stop }
    }
    let rest = UnsafeRawBufferPointer(rebasing: chunk[known...])
    return rest.isEmpty ? .more : writer?.take(rest) ?? .stop
  }

  /// Writes what is still in memory.
  ///
  /// - Returns: How the exchange ended when that was decided here; nil leaves it to the connection.
  mutating func end() -> FetchOutcome? {
    writer?.flush()
    if let failure = writer?.failure { return .failed(failure, retryAfter: nil) }
    if let refusal { return .refused(refusal) }
    if job.kind == .sample, proof?.isComplete == true, let accepted {
      return .agreed(accepted.head.validators)
    }
    if let writer, !writer.expectsBytes { return .ended }
    return nil
  }
}

extension Intake {
  private mutating func accept(
    _ head: ResponseHead,
    total: Int64?,
    isRanged: Bool
  ) -> HeadVerdict {
    do throws(Failure) {
      try checkLength(total)
      guard let place = try run.place(for: head, job: job, total: total) else { return .reject }
      let settled = try settled(place, total)
      accepted = Accepted(head: head, total: total, isRanged: isRanged, place: settled)
      if !job.compared.isEmpty, let file = settled.file {
        proof = OverlapProof(job.compared, in: file)
        return .accept
      }
      guard startWriting() else { return .reject }
      return writer?.expectsBytes == true ? .accept : .reject
    } catch {
      refusal = .failed(error, retryAfter: nil)
      return .reject
    }
  }

  /// Makes the file now unless all of it may be here before it has to be written.
  private func settled(_ place: BodyPlace, _ total: Int64?) throws(Failure) -> BodyPlace {
    guard case .new(let new) = place else { return place }
    if let total, total > 0, total <= SegmentWriter.mostGathered, run.mayGather { return place }
    return .file(try run.make(new, isWhole: total == 0))
  }

  /// What was said beforehand about the length holds.
  private func checkLength(_ total: Int64?) throws(Failure) {
    guard let size = run.transfer.request.size, let total, total != size.bytes else { return }
    throw Failure(.notTheFile, detail: "\(total) bytes where the list says \(size.bytes)")
  }

  /// Another source has to tell the length as well; nil when nothing speaks against it.
  private func refuseSample(_ head: ResponseHead) -> AnswerVerdict? {
    guard job.kind == .sample else { return nil }
    return switch (head.status, head.contentRange) {
    case (206, .range(_, let length?)?) where length == job.expectation.total ?? length: nil
    case (206, .range(_, let length)?): .changed(otherLength(length))
    case (200, _): .foreign(Failure(.wrongRange, code: 200, detail: "it ignores ranges"))
    default: nil
    }
  }

  private func otherLength(_ length: Int64?) -> Failure {
    let told = length.map { "it has \($0) bytes" } ?? "it does not tell its length"
    return Failure(.wrongLength, code: 206, detail: told)
  }

  /// Compares a chunk with the known bytes; nil ends the exchange.
  private mutating func compare(_ chunk: UnsafeRawBufferPointer) -> Int? {
    do throws(StorageError) {
      if let known = try proof?.compare(chunk) { return known }
      refusal = .differs(Failure(.changed, detail: "known bytes differ from the server's"))
    } catch {
      refusal = .failed(error.failure, retryAfter: nil)
    }
    return nil
  }

  private mutating func startWriting() -> Bool {
    guard let accepted else { return false }
    do throws(Failure) {
      let checksum = try run.admit(
        accepted.head,
        job,
        number,
        total: accepted.total,
        isRanged: accepted.isRanged,
        place: accepted.place
      )
      writer = SegmentWriter(
        run: run,
        number: number,
        generation: job.generation,
        place: accepted.place,
        checksum: checksum,
        total: accepted.total
      )
      return true
    } catch {
      refusal = .failed(error, retryAfter: nil)
      return false
    }
  }
}

extension ResponseHead {
  /// The bytes that follow, nil when that is not told.
  fileprivate var bodyLength: Int64? {
    if case .range(let span, _)? = contentRange { return Int64(span.count) }
    return contentLength
  }
}
