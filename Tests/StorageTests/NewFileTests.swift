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

  @Test("What is not what it should be is kept under another name")
  func setAside() throws {
    let file = try nameless("a.bin")
    try write([1], to: file)
    #expect(try file.setAside(suffix: ".bad") == "a.bin.bad")
    #expect(scratch.names == ["a.bin.bad"])
  }

  @Test("A file that takes longer is shown when others know of it, and then renamed")
  func shown() throws {
    let file = try unnamed("a.bin")
    try write([1], to: file)
    #expect(scratch.names == [])
    #expect(file.isNameless && file.waitsForName)
    try file.show(candidates: numbered("a.bin"))
    try file.show(candidates: numbered("a.bin"))
    #expect(scratch.names == ["a.bin.part"])
    #expect(file.isStillThere() && !file.isNameless && !file.waitsForName)
    #expect(throws: StorageError.self) { try again("a.bin", file.identity) }
    #expect(try file.finish(candidates: numbered("a.bin")) == "a.bin")
    #expect(scratch.names == ["a.bin"])
  }

  @Test("What others have taken meanwhile is not replaced by what is shown")
  func shownBeside() throws {
    let (first, second) = (try unnamed("a.bin"), try unnamed("a.bin"))
    try first.show(candidates: numbered("a.bin"))
    write([9], to: scratch.path("a (1).bin"))
    try second.show(candidates: numbered("a.bin"))
    #expect(second.name == "a (2).bin")
    #expect(scratch.names == ["a (1).bin", "a (2).bin.part", "a.bin.part"])
  }

  @Test("A name that others in this program are to have is passed over")
  func reserved() throws {
    let reserve = { (path: String) -> (@Sendable () -> Void)? in
      if path.hasSuffix("/a.bin") { nil } else { {} }
    }
    let new = try NewFile(in: scratch.path, reserve: reserve, candidates: numbered("a.bin"))
    #expect(new.name == "a (1).bin" && new.wish == "a.bin")
    let file = try #require(try new.createNameless(isWhole: true))
    #expect(file.name == "a (1).bin" && file.wish == "a.bin")
  }

  @Test("What is complete before it was shown goes without `.part`")
  func early() throws {
    let file = try unnamed("a.bin")
    #expect(try file.finish(candidates: numbered("a.bin")) == "a.bin")
    #expect(scratch.names == ["a.bin"])
  }

  @Test("What is dropped or discarded before it was shown leaves nothing")
  func unseen() throws {
    var file: PartialFile? = try unnamed("a.bin")
    file = nil
    #expect(file == nil && scratch.names == [])
    let other = try unnamed("a.bin")
    other.discard()
    try other.show(candidates: numbered("a.bin"))
    #expect(scratch.names == [])
  }

  private func unnamed(_ name: String) throws -> PartialFile {
    let new = try NewFile(in: scratch.path, candidates: numbered(name))
    return try #require(try new.createNameless(isWhole: false))
  }

  /// Opens what another program of the same session would open.
  private func again(_ name: String, _ identity: FileIdentity) throws(StorageError) {
    _ = try PartialFile.reopen(in: scratch.path, name: name, identity: identity)
  }

  private func nameless(_ name: String) throws -> PartialFile {
    let new = try NewFile(in: scratch.path, candidates: numbered(name))
    return try #require(try new.createNameless(isWhole: true))
  }
}
