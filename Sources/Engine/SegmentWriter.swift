// SPDX-License-Identifier: Apache-2.0
//
// SegmentWriter: takes the chunks of one connection to their places in the partial file.
//
// libcurl hands over at most 16 KiB at a time; chunks are gathered to 256 KiB, for at most 0.2 s, so
// that a gigabyte is four thousand writes and not sixty-five thousand.
//
// Owns     the gathered bytes. Threads: its connection's only.
// Holds    a byte is counted after it is written.

import Connections
import Storage
import Transfers

/// The way from a connection to the disk.
struct SegmentWriter {
  /// How long bytes are kept back, as long as more of them come.
  static let patience = Duration.milliseconds(200)
  /// The most bytes that wait in memory.
  static let mostGathered: Int64 = 256 * 1024

  private let run: TransferRun
  private let number: Int
  private let generation: Int
  private var place: BodyPlace
  private let checksum: RunningChecksum?
  private let total: Int64?
  /// The disk's refusal, once there was one.
  private(set) var failure: Failure?
  private let gathered = GatheredBytes()
  private var lastWrite: Moment

  init(
    run: TransferRun,
    number: Int,
    generation: Int,
    place: BodyPlace,
    checksum: RunningChecksum?,
    total: Int64?
  ) {
    self.run = run
    self.number = number
    self.generation = generation
    self.place = place
    self.checksum = checksum
    self.total = total
    lastWrite = run.context.clock.now()
  }

  /// Whether the body has any bytes at all.
  var expectsBytes: Bool { total != 0 }

  /// Takes one chunk; the bytes are valid during the call only.
  ///
  /// One without bytes says that the server has fallen silent: nothing is kept back then.
  mutating func take(_ chunk: UnsafeRawBufferPointer) -> ChunkVerdict {
    if chunk.isEmpty {
      flush()
      return failure == nil ? .more : .stop
    }
    let now = run.context.clock.now()
    let claim = run.claim(number, generation, chunk.count, at: now)
    let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<claim.wanted])
    if claim.isLast && gathered.isEmpty {
      write(bytes, at: claim.offset, now)
    } else {
      gather(bytes, at: claim.offset, now)
    }
    if failure != nil { return .stop }
    if claim.isCut || claim.wanted < chunk.count { return .enough }
    return .more
  }

  /// Writes what was gathered.
  mutating func flush() {
    guard !gathered.isEmpty else { return }
    write(gathered.bytes, at: gathered.offset, run.context.clock.now())
    gathered.clear()
  }

  private mutating func gather(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ now: Moment) {
    if !gathered.fits(bytes.count) { flush() }
    guard gathered.fits(bytes.count) else { return write(bytes, at: offset, now) }
    gathered.append(bytes, at: offset)
    if now - lastWrite > Self.patience { flush() }
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ now: Moment) {
    guard !bytes.isEmpty, failure == nil else { return }
    lastWrite = now
    do throws(Failure) {
      let file = try file(isWhole: offset == 0 && Int64(bytes.count) == total)
      try write(bytes, at: offset, in: file)
      checksum?.wrote(bytes, at: offset)
      run.wrote(number, generation, upTo: offset + Int64(bytes.count))
    } catch {
      failure = error
    }
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer,
    at offset: Int64,
    in file: PartialFile
  ) throws(Failure) {
    do throws(StorageError) {
      try file.write(bytes, at: offset)
    } catch {
      throw error.failure
    }
  }

  /// The file, made when these are its first bytes.
  private mutating func file(isWhole: Bool) throws(Failure) -> PartialFile {
    switch place {
    case .file(let file): return file
    case .new(let new):
      let file = try run.make(new, isWhole: isWhole)
      place = .file(file)
      return file
    }
  }
}

/// Consecutive bytes that wait to be written together.
///
/// Memory is taken once, with the first bytes, and given back at the end.
private final class GatheredBytes {
  private static let capacity = Int(SegmentWriter.mostGathered)

  /// Where the first byte belongs.
  private(set) var offset: Int64 = 0
  private var count = 0
  private var memory: UnsafeMutableRawBufferPointer?

  deinit { memory?.deallocate() }

  var isEmpty: Bool { count == 0 }

  var bytes: UnsafeRawBufferPointer {
    guard let memory else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(rebasing: memory[..<count])
  }

  func fits(_ more: Int) -> Bool { count + more <= Self.capacity }

  func append(_ more: UnsafeRawBufferPointer, at offset: Int64) {
    let memory = self.memory ?? .allocate(byteCount: Self.capacity, alignment: 4096)
    self.memory = memory
    if count == 0 { self.offset = offset }
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: more)
    count += more.count
  }

  func clear() { count = 0 }
}
