// SPDX-License-Identifier: Apache-2.0
//
// SegmentWriter: takes the chunks of one connection to their places in the partial file.
//
// TLS brings 16 KiB at a time; those are gathered to 256 KiB, for at most 0.2 s, which saved a
// fifth of the time on ext4. Larger chunks go straight through.
//
// Owns     the gathered bytes. Threads: its connection's only.
// Holds    a byte is counted after it is written.

import Connections
import Storage
import Transfers

/// The way from a connection to the disk.
struct SegmentWriter {
  private static let gathering = 256 * 1024
  private static let patience = Duration.milliseconds(200)

  private let run: TransferRun
  private let number: Int
  private let generation: Int
  private let file: PartialFile
  private let checksum: RunningChecksum?
  private let gathers: Bool
  /// Whether the body has any bytes at all.
  let expectsBytes: Bool
  /// The disk's refusal, once there was one.
  private(set) var failure: Failure?
  private var gathered: [UInt8] = []
  private var gatheredAt: Int64 = 0
  private var lastWrite: Moment

  init(
    run: TransferRun,
    number: Int,
    generation: Int,
    file: PartialFile,
    checksum: RunningChecksum?,
    expectsBytes: Bool,
    gathers: Bool
  ) {
    self.run = run
    self.number = number
    self.generation = generation
    self.file = file
    self.checksum = checksum
    self.expectsBytes = expectsBytes
    self.gathers = gathers
    lastWrite = run.context.clock.now()
  }

  /// Takes one chunk; the bytes are valid during the call only.
  mutating func take(_ chunk: UnsafeRawBufferPointer) -> ChunkVerdict {
    let now = run.context.clock.now()
    let (offset, wanted, isCut) = run.claim(number, generation, chunk.count, at: now)
    let bytes = UnsafeRawBufferPointer(rebasing: chunk[..<wanted])
    if gathers, chunk.count < Self.gathering / 4 {
      gather(bytes, at: offset, now)
    } else {
      flush()
      write(bytes, at: offset)
    }
    if failure != nil { return .stop }
    if isCut || wanted < chunk.count { return .enough }
    return run.pause(for: wanted, at: now).map { .pause($0) } ?? .more
  }

  /// Writes what was gathered.
  mutating func flush() {
    guard !gathered.isEmpty else { return }
    let bytes = gathered
    gathered.removeAll(keepingCapacity: true)
    bytes.withUnsafeBytes { write($0, at: gatheredAt) }
  }

  private mutating func gather(_ bytes: UnsafeRawBufferPointer, at offset: Int64, _ now: Moment) {
    if gathered.isEmpty {
      gathered.reserveCapacity(Self.gathering)
      gatheredAt = offset
    }
    gathered.append(contentsOf: bytes)
    if gathered.count >= Self.gathering || now - lastWrite > Self.patience { flush() }
  }

  private mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
    guard !bytes.isEmpty, failure == nil else { return }
    lastWrite = run.context.clock.now()
    do throws(StorageError) {
      try file.write(bytes, at: offset)
      run.wrote(number, generation, upTo: offset + Int64(bytes.count))
      checksum?.wrote(bytes, at: offset)
    } catch {
      failure = error.failure
    }
  }
}
