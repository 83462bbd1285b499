// SPDX-License-Identifier: Apache-2.0
//
// BlockTests: the hashes of what is on disk, and how the session keeps them.

import Glibc
import Storage
import Testing
import Transfers

private func block(_ lower: Int64, _ upper: Int64, _ hash: UInt64) -> Block {
  Block(ByteRange(lower, upper), hash: hash)
}

@Suite("Hashes of blocks")
struct BlockTests {
  private let scratch = Scratch()

  private func file(_ bytes: [UInt8]) throws -> PartialFile {
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a"))
    try write(bytes, to: file)
    return file
  }

  @Test("The hash is XXH3 with 64 bits")
  func vectors() throws {
    let file = try file(Array("The quick brown fox jumps over the lazy dog".utf8))
    let reader = BlockReader()
    #expect(try reader.hash(ByteRange(0, 0), in: file) == 0x2D06_8005_38D3_94C2)
    #expect(try reader.hash(ByteRange(0, 43), in: file) == 0xCE7D_19A5_418F_B365)
  }

  @Test("One bit tells two blocks apart, also in the last byte of a whole one")
  func oneBit() throws {
    var bytes = [UInt8](repeating: 7, count: 3 * Int(Block.length))
    bytes[2 * Int(Block.length) - 1] ^= 1
    let file = try file(bytes)
    let reader = BlockReader()
    let hashes = try ByteRangeSet([ByteRange(0, 3 * Block.length)]).blockRanges
      .map { try reader.hash($0, in: file) }
    #expect(hashes[0] == hashes[2])
    #expect(hashes[0] != hashes[1])
  }

  @Test("A block that the file ends in has no hash")
  func cut() throws {
    let file = try file([1, 2, 3])
    let reader = BlockReader()
    #expect(try reader.hash(ByteRange(1, 3), in: file) != nil)
    #expect(try reader.hash(ByteRange(1, 4), in: file) == nil)
  }

  @Test("A file's stamp changes with its length and its times, not with reading")
  func stamp() throws {
    let file = try file([1, 2, 3])
    let before = try #require(file.stamp)
    _ = try BlockReader().hash(ByteRange(0, 3), in: file)
    #expect(file.stamp == before)
    let times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
    utimensat(AT_FDCWD, file.path, times, 0)
    #expect(file.stamp != before)
  }

  @Test("What stands in place of the file is opened when asked for, but never a link")
  func replacement() throws {
    try file([1]).discard()
    let reopen = { [path = scratch.path] in
      _ = try PartialFile.openReplacement(in: path, name: "a")
    }
    #expect(kind(reopen) == .partialGone)
    write([2, 3], to: scratch.path("a.part"))
    let found = try PartialFile.openReplacement(in: scratch.path, name: "a")
    #expect(found.size == 2)
    rename(scratch.path("a.part"), scratch.path("b"))
    symlink(scratch.path("b"), scratch.path("a.part"))
    #expect(kind(reopen) != nil)
  }
}

@Suite("Session: blocks")
struct SessionBlockTests {
  private let scratch = Scratch()

  private func open() throws -> Session { try Session.open(directory: scratch.path("state")) }

  private func put(_ blocks: [Block], gone: [Int64] = []) -> SessionChange {
    var changes = BlockChanges()
    changes.put = blocks
    changes.gone = gone
    return .blocks(TransferID(1), changes)
  }

  @Test("Blocks come back as they were put, changed one by one")
  func changes() throws {
    let first = [block(0, 5, .max), block(5, 9, 1), block(9, 12, 2)]
    try open().apply([.put(transfer(1)), .put(transfer(2)), put(first)])
    #expect(try open().blocks() == [TransferID(1): BlockMap(first)])
    try open().apply([put([block(5, 12, 0)], gone: [9])])
    #expect(
      try open().blocks() == [TransferID(1): BlockMap([block(0, 5, .max), block(5, 12, 0)])]
    )
  }

  @Test("Blocks go with their transfer")
  func removal() throws {
    let session = try open()
    try session.apply([.put(transfer(1)), put([block(0, 5, 3)])])
    try session.apply([.remove(TransferID(1))])
    #expect(try session.blocks().isEmpty)
  }

  @Test("A change of the transfer leaves its blocks alone")
  func change() throws {
    let session = try open()
    try session.apply([.put(transfer(1)), put([block(0, 5, 3)])])
    try session.apply([.put(transfer(1, state: .paused(.byUser)))])
    #expect(try session.blocks() == [TransferID(1): BlockMap([block(0, 5, 3)])])
  }
}
