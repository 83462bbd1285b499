// SPDX-License-Identifier: Apache-2.0
//
// PartialFileTests: names that are free, bytes in place, and the end of a partial file.

import Glibc
import Storage
import Synchronization
import Testing
import Transfers

@Suite("Partial file: a free name")
struct PartialFileNameTests {
  private let scratch = Scratch()

  @Test("The first name is taken when it is free")
  func freeName() throws {
    let file = try create("a.bin")
    #expect(file.name == "a.bin")
    #expect(scratch.names == ["a.bin.part"])
    #expect(file.size == 0)
    #expect(file.isStillThere())
  }

  @Test(
    "Whatever stands in the way is left alone and the next name is tried",
    arguments: ["file", "file.part", "directory", "link", "dangling", "pipe", "link.part"]
  )
  func takenName(_ obstacle: String) throws {
    write(Array("precious".utf8), to: scratch.path("other"))
    place(obstacle)
    let before = scratch.names
    let file = try create("a.bin")
    #expect(file.name == "a (1).bin")
    try write([1, 2, 3], to: file)
    #expect(scratch.names == (before + ["a (1).bin.part"]).sorted())
    #expect(contents(scratch.path("other")) == Array("precious".utf8))
  }

  private func place(_ obstacle: String) {
    switch obstacle {
    case "file": write([1], to: scratch.path("a.bin"))
    case "file.part": write([1], to: scratch.path("a.bin.part"))
    case "directory": mkdir(scratch.path("a.bin"), 0o755)
    case "link": symlink("other", scratch.path("a.bin"))
    case "dangling": symlink("nowhere", scratch.path("a.bin"))
    case "pipe": mkfifo(scratch.path("a.bin"), 0o644)
    default: symlink("other", scratch.path("a.bin.part"))
    }
  }

  @Test("Creators at the same time all get names of their own")
  func race() async throws {
    let path = scratch.path
    let files = try await withThrowingTaskGroup(of: PartialFile.self) { group in
      for _ in 0..<16 {
        group.addTask { try PartialFile.create(in: path, candidates: numbered("same.bin")) }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(Set(files.map(\.name)).count == 16)
    #expect(Set(files.map(\.identity)).count == 16)
    #expect(scratch.names.count == 16)
  }

  @Test("A name of 250 bytes fits, one of 251 does not")
  func longNames() throws {
    #expect(try create(String(repeating: "n", count: 250)).isStillThere())
    #expect(kind { _ = try create(String(repeating: "m", count: 251)) } == .nameNotUsable)
  }

  @Test("The mode is 0666 less the umask")
  func mode() throws {
    let mask = umask(0)
    umask(mask)
    #expect(permissions(try create("a.bin").path) == 0o666 & ~mask)
  }

  @Test("A directory that is missing, or a file, is said to be no directory")
  func noDirectory() throws {
    write([], to: scratch.path("plain"))
    for place in ["missing", "plain", "plain/below"] {
      let failure = kind {
        _ = try PartialFile.create(in: scratch.path(place), candidates: numbered("a"))
      }
      #expect(failure == .noDirectory, "\(place)")
      #expect(kind { try Disk.checkDirectory(scratch.path(place)) } == .noDirectory, "\(place)")
    }
    #expect(throws: Never.self) { try Disk.checkDirectory(scratch.path) }
  }

  @Test("When no name is free there is an error instead of an endless search")
  func noFreeName() throws {
    write([1], to: scratch.path("a.bin"))
    let failure = kind { _ = try PartialFile.create(in: scratch.path) { _ in "a.bin" } }
    #expect(failure == .nameNotUsable)
  }

  private func create(_ name: String) throws -> PartialFile {
    try PartialFile.create(in: scratch.path, candidates: numbered(name))
  }
}

@Suite("Partial file: its bytes")
struct PartialFileByteTests {
  private let scratch = Scratch()

  @Test("Many writers at once put every byte in its place")
  func manyWriters() async throws {
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a"))
    try file.reserve(1_048_576)
    #expect(file.size == 0, "reserving does not change the length")
    await withTaskGroup(of: Void.self) { group in
      for writer in 0..<16 {
        group.addTask {
          let block = [UInt8](repeating: UInt8(writer), count: 4096)
          for turn in 0..<16 {
            let offset = Int64((turn * 16 + writer) * 4096)
            #expect(throws: Never.self) { try write(block, to: file, at: offset) }
          }
        }
      }
    }
    try file.sync()
    let bytes = try #require(contents(file.path))
    #expect(bytes.count == 1 << 20)
    #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8($0 / 4096 % 16) })
  }

  @Test("Reading stops at the end and nowhere else")
  func reading() throws {
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a"))
    try write([1, 2, 3, 4], to: file, at: 10)
    var buffer = [UInt8](repeating: 9, count: 8)
    let count = try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 8) }
    #expect(count == 6)
    #expect(buffer == [0, 0, 1, 2, 3, 4, 9, 9])
    #expect(try buffer.withUnsafeMutableBytes { try file.read(into: $0, at: 14) } == 0)
  }

  @Test("Cutting drops what is beyond")
  func cutting() throws {
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a"))
    try write([1, 2, 3, 4], to: file)
    file.startWriteback(ByteRange(0, 4))
    try file.truncate(to: 1)
    #expect(contents(file.path) == [1])
    try write([], to: file, at: 100)
    #expect(file.size == 1)
  }

  @Test("A file that is longer than the file system allows is refused when it is reserved")
  func tooLong() throws {
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a"))
    let kinds: Set<FailureKind?> = [.diskFault, .diskFull]
    #expect(kinds.contains(kind { try file.reserve(ByteCount(.max)) }))
  }
}

@Suite("Partial file: its end")
struct PartialFileEndTests {
  private let scratch = Scratch()

  @Test("It gets its name, and can still be read")
  func finish() throws {
    let file = try create()
    #expect(try file.finish(candidates: numbered("a.bin")) == "a.bin")
    #expect(scratch.names == ["a.bin"])
    #expect(contents(scratch.path("a.bin")) == [7])
    #expect(!file.isStillThere())
    var byte: UInt8 = 0
    #expect(try withUnsafeMutableBytes(of: &byte) { try file.read(into: $0, at: 0) } == 1)
    #expect(byte == 7)
    file.discard()
    #expect(scratch.names == ["a.bin"], "what is finished cannot be discarded")
  }

  @Test("A name that was taken meanwhile is not replaced")
  func takenMeanwhile() throws {
    let file = try create()
    write([1], to: scratch.path("a.bin"))
    write([2], to: scratch.path("a (1).bin.part"))
    #expect(try file.finish(candidates: numbered("a.bin")) == "a (2).bin")
    #expect(contents(scratch.path("a.bin")) == [1])
    #expect(contents(scratch.path("a (2).bin")) == [7])
  }

  @Test("A partial file that vanished or was replaced is noticed and nothing is touched")
  func vanished() throws {
    for isReplaced in [false, true] {
      let file = try create()
      if isReplaced {
        write([9], to: scratch.path("new"))
        rename(scratch.path("new"), file.path)
      } else {
        unlink(file.path)
      }
      #expect(!file.isStillThere())
      #expect(kind { _ = try file.finish(candidates: numbered("a.bin")) } == .partialGone)
      #expect(kind { _ = try file.setAside(suffix: ".bad") } == .partialGone)
      file.discard()
      #expect(scratch.names == (isReplaced ? ["a.bin.part"] : []))
    }
  }

  @Test("Wrong bytes are set aside under numbered names")
  func setAside() throws {
    #expect(try create().setAside(suffix: ".bad") == "a.bin.bad")
    #expect(try create().setAside(suffix: ".bad") == "a (1).bin.bad")
    #expect(scratch.names == ["a (1).bin.bad", "a.bin.bad"])
  }

  @Test("Discarding removes it, also in a directory that was moved meanwhile")
  func discard() throws {
    mkdir(scratch.path("old"), 0o755)
    let file = try PartialFile.create(in: scratch.path("old"), candidates: numbered("a"))
    rename(scratch.path("old"), scratch.path("new"))
    #expect(file.isStillThere())
    file.discard()
    #expect(entries(scratch.path("new")) == [])
  }

  private func create() throws -> PartialFile {
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a.bin"))
    try write([7], to: file)
    return file
  }
}
