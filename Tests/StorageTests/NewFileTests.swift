// SPDX-License-Identifier: Apache-2.0
//
// NewFileTests: a file without a name has one when it is complete, and leaves nothing before.

import Glibc
import Testing
import Transfers

@testable import Storage

@Suite("New files")
struct NewFileTests {
  private let scratch = Scratch()

  @Test("A file without a name is seen when it gets its name, and not before")
  func named() throws {
    let file = try nameless("a.bin")
    try write([1, 2, 3], to: file)
    #expect(scratch.names == [])
    #expect(try file.finish(candidates: numbered("a.bin")) == "a.bin")
    #expect(scratch.names == ["a.bin"])
    #expect(contents(scratch.path("a.bin")) == [1, 2, 3])
  }

  @Test("Whatever ends before the name leaves nothing")
  func dropped() throws {
    var file: PartialFile? = try nameless("a.bin")
    try write([1], to: #require(file))
    file?.discard()
    #expect(throws: StorageError.self) { try file?.finish(candidates: numbered("a.bin")) }
    file = nil
    #expect(scratch.names == [])
  }

  @Test("A name that is taken meanwhile is not replaced")
  func taken() throws {
    let file = try nameless("a.bin")
    try write([1], to: file)
    write([9], to: scratch.path("a.bin"))
    #expect(try file.finish(candidates: numbered("a.bin")) == "a (1).bin")
    #expect(contents(scratch.path("a.bin")) == [9])
  }

  @Test("What is taken when the name is chosen is passed over, and so is an unfinished file")
  func chosen() throws {
    write([9], to: scratch.path("a.bin"))
    write([], to: scratch.path("a (1).bin.part"))
    let new = try NewFile(in: scratch.path, candidates: numbered("a.bin"))
    #expect(new.name == "a (2).bin")
  }

  @Test(
    "Where it may have been there before, its bytes decide",
    arguments: [([1, 2], "a.bin"), ([1, 3], "a (1).bin"), ([1, 2, 3], "a (1).bin")]
  )
  func twin(found: [UInt8], name: String) throws {
    write(found, to: scratch.path("a.bin"))
    let new = try NewFile(in: scratch.path, twinOf: 2, candidates: numbered("a.bin"))
    let file = try #require(try new.createNameless())
    try write([1, 2], to: file)
    #expect(try file.finish(candidates: numbered("a.bin")) == name)
    #expect(contents(scratch.path("a.bin")) == found)
    #expect(contents(scratch.path(name)) == [1, 2])
  }

  @Test("What is not what it should be is kept under another name")
  func setAside() throws {
    let file = try nameless("a.bin")
    try write([1], to: file)
    #expect(try file.setAside(suffix: ".bad") == "a.bin.bad")
    #expect(scratch.names == ["a.bin.bad"])
  }

  private func nameless(_ name: String) throws -> PartialFile {
    let new = try NewFile(in: scratch.path, candidates: numbered(name))
    return try #require(try new.createNameless())
  }
}
