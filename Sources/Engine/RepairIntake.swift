// SPDX-License-Identifier: Apache-2.0
//
// RepairIntake: holds what a source sends against what is on disk, and replaces what differs.
//
// Threads  lives on the run's own thread; the connection calls back on the same one.
// Never    writes a byte that is on disk already, nor one beyond the end.

import Connections
import Glibc
import Storage
import Transfers
import Workers

/// One pass over a file, perhaps in several answers.
struct RepairIntake {
  private let run: TransferRun
  private let file: PartialFile
  private let total: Int64
  /// Everything below has been compared.
  var offset: Int64 { progress.offset }
  /// Bytes that were written.
  var replaced: Int64 { progress.replaced }
  private var progress: RepairProgress
  /// Bytes still to come that were compared before, of an answer that brings the whole again.
  private var skipped: Int64 = 0
  /// Blocks in which bytes were written.
  private(set) var blocks = 0
  private var lastBlock: Int64 = -1
  /// Why an answer was not taken, or the disk's refusal.
  private(set) var refusal: Failure?

  /// Goes on from there in a file of that length.
  init(_ run: TransferRun, _ file: PartialFile, total: Int64, from progress: RepairProgress) {
    self.run = run
    self.file = file
    self.total = total
    self.progress = progress
  }

  /// Whether the whole file has been compared.
  var isComplete: Bool { offset >= total }

  /// Takes the answer to a request for the bytes from `offset` on, of a file of the same length; who has
  /// no ranges sends all of it.
  mutating func begin(_ head: ResponseHead) -> HeadVerdict {
    let fits =
      switch (head.status, head.contentRange) {
      case (206, .range(let span, let length)?):
        span.lowerBound == offset && length ?? total == total && head.contentCoding == nil
      case (200, _): head.contentLength ?? total == total
      default: false
      }
    skipped = head.status == 200 ? offset : 0
    if fits { return .accept }
    refusal = Failure(.wrongRange, code: head.status, detail: "HTTP \(head.status)")
    return .reject
  }

  /// Takes as much of a chunk as the limits let through; the bytes are valid during the call only.
  mutating func take(_ chunk: UnsafeRawBufferPointer) -> ChunkVerdict {
    if chunk.isEmpty { return .more }
    let grant = run.grant(chunk.count, counted: chunk.count, 0)
    defer { run.context.meter.took(grant.bytes) }
    let known = Int(min(Int64(grant.bytes), skipped))
    skipped -= Int64(known)
    let wanted = Int(min(Int64(grant.bytes - known), total - offset))
    do throws(StorageError) {
      try compare(UnsafeRawBufferPointer(rebasing: chunk[known..<known + wanted]))
    } catch {
      refusal = error.failure
      return .stop
    }
    if isComplete { return .enough }
    return grant.bytes < chunk.count ? .taken(grant.bytes, pause: grant.pause) : .more
  }

  private mutating func compare(_ bytes: UnsafeRawBufferPointer) throws(StorageError) {
    guard let theirs = bytes.baseAddress else { return }
    let known = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 16)
    defer { known.deallocate() }
    guard let ours = known.baseAddress else { return }
    let count = try file.read(into: known, at: offset)
    if count < bytes.count || memcmp(ours, theirs, bytes.count) != 0 {
      try replace(bytes, known[..<count])
    }
    progress.offset += Int64(bytes.count)
    run.core.withLock { $0.repair = progress }
  }

  /// Writes from the first byte that differs to the last.
  private mutating func replace(
    _ bytes: UnsafeRawBufferPointer,
    _ known: Slice<UnsafeMutableRawBufferPointer>
  ) throws(StorageError) {
    let differing = bytes.indices.filter { $0 >= known.count || bytes[$0] != known[$0] }
    guard let first = differing.first, let last = differing.last else { return }
    let place = ByteRange(offset + Int64(first), offset + Int64(last) + 1)
    try file.write(UnsafeRawBufferPointer(rebasing: bytes[first...last]), at: place.lower)
    // Only now, or the recorder might hash the old bytes once more.
    run.context.ledger.audited(place, isRight: false)
    progress.replaced += place.count
    for block in place.lower / Block.length...(place.upper - 1) / Block.length
    where block > lastBlock {
      blocks += 1
      lastBlock = block
    }
  }
}
