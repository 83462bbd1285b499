// SPDX-License-Identifier: Apache-2.0
//
// RunningChecksum: computes a file's digest while the file grows.
//
// Writers say which bytes are on disk and, when they are the next in line, hand a copy over through
// the producer–consumer lock; one thread of its own takes them in order. Bytes that came out of
// order, or found the lock full, are read back from the file: a slow digest never holds up a
// connection.
//
// Owns     a thread, joined by `finish` or `cancel`, exactly one of which must be called.
// Threads  `wrote` from any writer; `finish` and `cancel` from the run's own thread.

import Storage
import Synchronization
import Transfers
import Workers

/// A digest in the making.
final class RunningChecksum: Sendable {
  private struct Written: Sendable {
    let range: ByteRange
    let bytes: [UInt8]?
  }

  /// Copies wait here; 8 of at most 512 KiB bound the memory.
  private let lock = ProducerConsumerLock<Written>(capacity: 8)
  private let missed: Monitor<ByteRangeSet>
  private let frontier = Atomic<Int64>(0)
  private let total = Atomic<Int64>(-1)
  private let result = Monitor<Result<[UInt8], Failure>?>(nil)
  private let thread = Monitor<WorkerThread?>(nil)
  private let file: PartialFile
  /// How the digest is computed.
  let algorithm: ChecksumAlgorithm

  /// Begins with what is on disk already and believed.
  ///
  /// - Throws: `Failure` when no thread can be started.
  init(
    _ algorithm: ChecksumAlgorithm,
    of file: PartialFile,
    have: ByteRangeSet
  ) throws(Failure) {
    self.file = file
    self.algorithm = algorithm
    missed = Monitor(have)
    do throws(ThreadError) {
      let worker = try WorkerThread.start(name: "checksum") { [self] in
        let result = Result { () throws(Failure) in try compute(algorithm) }
        self.result.withLock { $0 = result }
      }
      thread.withLock { $0 = worker }
    } catch {
      throw Failure(.unexpected, code: Int(error.code), detail: "no thread for the checksum")
    }
  }

  /// Notes bytes that are on disk and were not written just now.
  func found(_ range: ByteRange) {
    handOver(Written(range: range, bytes: nil))
  }

  /// Notes bytes that are on disk now; `bytes` is valid during this call only.
  func wrote(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    let range = ByteRange(offset, offset + Int64(bytes.count))
    let isNext = offset <= frontier.load(ordering: .relaxed) + 4 * 1024 * 1024
    let copy = isNext ? [UInt8](bytes) : nil
    // Without a copy it still wakes the thread, which reads back what has become next in line.
    handOver(Written(range: range, bytes: copy))
  }

  private func handOver(_ written: Written) {
    if !lock.tryProduce(written) { missed.withLock { $0.insert(written.range) } }
  }

  /// Says that all bytes are on disk and waits for the digest.
  ///
  /// - Parameter total: The length of the file.
  /// - Returns: The digest.
  /// - Throws: `Failure` when the file cannot be read back.
  func finish(total: Int64) throws(Failure) -> [UInt8] {
    self.total.store(total, ordering: .sequentiallyConsistent)
    lock.finish()
    join()
    guard let result = result.withLock({ $0 }) else { throw Failure(.unexpected) }
    return try result.get()
  }

  /// Drops everything and waits for the thread.
  func cancel() {
    lock.cancel()
    join()
  }

  private func join() {
    let worker = thread.withLock { held -> WorkerThread? in
      defer { held = nil }
      return held
    }
    worker?.join()
  }
}

extension RunningChecksum {
  private func compute(_ algorithm: ChecksumAlgorithm) throws(Failure) -> [UInt8] {
    do throws(StorageError) {
      return try digest(OrderedDigest(algorithm, file: file))
    } catch {
      throw error.failure
    }
  }

  private func digest(_ fresh: consuming OrderedDigest) throws(StorageError) -> [UInt8] {
    var state = fresh
    while true {
      state.waiting = take(adding: state.waiting)
      switch lock.consume() {
      case .element(let written):
        try state.add(written.range, written.bytes)
        frontier.store(state.next, ordering: .relaxed)
      case .finished:
        state.waiting = take(adding: state.waiting)
        try state.catchUp(to: total.load(ordering: .sequentiallyConsistent))
        return state.finish()
      case .failed, .cancelled:
        return []
      }
    }
  }

  private func take(adding waiting: ByteRangeSet) -> ByteRangeSet {
    let taken = missed.withLock { missed -> ByteRangeSet in
      defer { missed = ByteRangeSet() }
      return missed
    }
    var all = waiting
    for range in taken.ranges { all.insert(range) }
    return all
  }
}

/// A digest that takes ranges in any order and feeds them in file order.
private struct OrderedDigest: ~Copyable {
  private var digest: Digest
  private let file: PartialFile
  /// All bytes below are in the digest.
  private(set) var next: Int64 = 0
  /// On disk, but not yet in the digest.
  var waiting = ByteRangeSet()

  init(_ algorithm: ChecksumAlgorithm, file: PartialFile) throws(StorageError) {
    digest = try Digest(algorithm)
    self.file = file
  }

  mutating func add(_ range: ByteRange, _ bytes: [UInt8]?) throws(StorageError) {
    if let bytes, range.lower == next {
      bytes.withUnsafeBytes { digest.update($0) }
      next = range.upper
    } else {
      waiting.insert(range)
    }
    try readBack(limit: 4 * 1024 * 1024)
  }

  /// Reads everything up to `end` that is not in the digest yet.
  mutating func catchUp(to end: Int64) throws(StorageError) {
    waiting.insert(ByteRange(min(next, end), end))
    try readBack(limit: .max)
  }

  consuming func finish() -> [UInt8] {
    digest.finish()
  }

  private mutating func readBack(limit: Int64) throws(StorageError) {
    guard waiting.ranges.contains(where: { $0.lower <= next && next < $0.upper }) else { return }
    var budget = limit
    let size = 256 * 1024
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer { buffer.deallocate() }
    while budget > 0, let first = waiting.ranges.first(where: { $0.upper > next }),
      first.lower <= next
    {
      let wanted = Int(min(Int64(size), first.upper - next))
      let slice = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
      let count = try read(into: slice)
      digest.update(UnsafeRawBufferPointer(rebasing: slice[..<count]))
      next += Int64(count)
      budget -= Int64(count)
    }
    if next > 0 { waiting.remove(ByteRange(0, next)) }
  }

  private func read(
    into slice: UnsafeMutableRawBufferPointer
  ) throws(StorageError) -> Int {
    let count = try file.read(into: slice, at: next)
    guard count > 0 else {
      throw StorageError(Failure(.partialGone, detail: "the partial file was cut"))
    }
    return count
  }
}
