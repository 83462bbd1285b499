import Storage
import Testing
import Transfers

@Suite("Storage") struct StorageTests {
  @Test func smoke() throws {
    let scratch = Scratch()
    let session = try Session.open(directory: scratch.path("state/winch"))
    #expect(try session.load() == [])
    let a = transfer(session.takeID().number)
    try session.apply([.put(a)])
    #expect(try session.load() == [a])
    let file = try PartialFile.create(in: scratch.path, candidates: numbered("a.bin"))
    try file.reserve(4096)
    try [1, 2, 3].withUnsafeBytes { try file.write($0, at: 100) }
    try file.sync()
    #expect(try file.finish(candidates: numbered("a.bin")) == "a.bin")
    var digest = try Digest(.sha256)
    [1, 2, 3].withUnsafeBytes { digest.update($0) }
    #expect(digest.finish().count == 32)
  }
}
