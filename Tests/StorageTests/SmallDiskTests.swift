// SPDX-License-Identifier: Apache-2.0
//
// SmallDiskTests: a disk that is full, and one that cannot be written. Needs to be allowed to
// mount; where it is not, the tests are reported as skipped.

import Glibc
import Storage
import Testing
import Transfers

/// A small file system in memory, unmounted at the end.
private final class SmallDisk {
  let path: String
  private let scratch = Scratch()

  /// Mounts one of `kilobytes`; nil when that is not allowed.
  init?(kilobytes: Int) {
    path = scratch.path("disk")
    mkdir(path, 0o755)
    guard mount("tmpfs", path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { return nil }
  }

  deinit { umount2(path, Int32(MNT_DETACH)) }

  func makeReadOnly() -> Bool {
    mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
  }
}

private let canMount = SmallDisk(kilobytes: 64) != nil

@Suite("A small disk", .enabled(if: canMount, "mounting is not allowed here"))
struct SmallDiskTests {
  @Test("Full is said when writing, what is there stays, and room lets it go on")
  func fullWhileWriting() throws {
    let disk = try #require(SmallDisk(kilobytes: 256))
    let file = try PartialFile.create(in: disk.path, candidates: numbered("a"))
    let block = [UInt8](repeating: 5, count: 65_536)
    for turn in 0..<2 { try write(block, to: file, at: Int64(turn * 65_536)) }
    write([UInt8](repeating: 1, count: 131_072), to: disk.path + "/ballast")
    let failure = #expect(throws: StorageError.self) {
      try write(block, to: file, at: 131_072)
    }?.failure
    #expect(failure?.kind == .diskFull)
    #expect(failure?.detail.hasPrefix(file.path) == true)
    #expect(contents(file.path)?.prefix(131_072).allSatisfy { $0 == 5 } == true)
    unlink(disk.path + "/ballast")
    #expect(throws: Never.self) { try write(block, to: file, at: 131_072) }
    #expect(contents(file.path) == [UInt8](repeating: 5, count: 196_608))
  }

  @Test("Full is known before starting: by asking, and by reserving")
  func fullBeforeStarting() throws {
    let disk = try #require(SmallDisk(kilobytes: 256))
    let room = try Disk.freeSpace(in: disk.path)
    #expect(room.free > 0 && room.free <= ByteCount(262_144))
    #expect(try room.fileSystem != Disk.freeSpace(in: "/tmp").fileSystem)
    let file = try PartialFile.create(in: disk.path, candidates: numbered("a"))
    #expect(kind { try file.reserve(1_048_576) } == .diskFull)
    #expect(throws: Never.self) { try file.reserve(100_000) }
    #expect(try Disk.freeSpace(in: disk.path).free < room.free)
    #expect(throws: Never.self) { try Disk.syncAll(disk.path) }
  }

  @Test("A read-only directory is said to be one")
  func readOnly() throws {
    let disk = try #require(SmallDisk(kilobytes: 256))
    try #require(disk.makeReadOnly())
    #expect(kind { try Disk.checkDirectory(disk.path) } == .cannotWrite)
    #expect(
      kind { _ = try PartialFile.create(in: disk.path, candidates: numbered("a")) } == .cannotWrite
    )
    #expect(throws: SessionError.cannotOpen(path: disk.path + "/state", errno: EROFS)) {
      try Session.open(directory: disk.path + "/state")
    }
  }

  @Test("A session without room says so, loses nothing, and goes on when there is room")
  func sessionWithoutRoom() throws {
    let disk = try #require(SmallDisk(kilobytes: 512))
    let directory = disk.path + "/state"
    let session = try Session.open(directory: directory)
    try session.apply([.put(transfer(1))])
    write([UInt8](repeating: 1, count: 400_000), to: disk.path + "/ballast")
    let many = (2...2000).map { SessionChange.put(transfer($0)) }
    #expect(throws: SessionError.full(path: directory + "/session.db")) { try session.apply(many) }
    #expect(try session.load() == [transfer(1)])
    unlink(disk.path + "/ballast")
    try session.apply([.put(transfer(2))])
    #expect(try session.load() == [transfer(1), transfer(2)])
  }

  @Test("A session that cannot be written is not opened, and says so")
  func readOnlySession() throws {
    let disk = try #require(SmallDisk(kilobytes: 512))
    do { try Session.open(directory: disk.path).apply([.put(transfer(1))]) }
    try #require(disk.makeReadOnly())
    let error = #expect(throws: SessionError.self) { try Session.open(directory: disk.path) }
    #expect(error == .cannotOpen(path: disk.path + "/lock", errno: EROFS))
  }
}
