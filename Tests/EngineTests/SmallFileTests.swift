// SPDX-License-Identifier: Apache-2.0
//
// Small files that arrive at once: no name before the last byte, and none for what is not wanted.

import FaultServer
import Glibc
import Storage
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "small", size: 5000)

@Suite struct SmallFileTests {
  @Test func thereIsNoNameBeforeTheLastByte() throws {
    let bench = try Bench(Web(chunk: 1000))
    bench.web.answer { Served(content).held($0, after: 3000, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    #expect(bench.scratch.names == [])
    bench.web.open("middle")
    #expect(bench.waitFinished(id))
    #expect(bench.scratch.names == ["file"])
    #expect(bench.holds("file", content))
  }

  @Test func whatHasComeWhenItIsPausedIsKept() throws {
    let bench = try Bench(Web(chunk: 1000))
    bench.web.answer { Served(content).held($0, after: 3000, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.scratch.names == ["file.part"])
    #expect(bench.engine.transfer(id)?.have.ranges == [ByteRange(0, 3000)])
    let remembered = try #require(try bench.remembered().first)
    #expect(remembered.have.ranges == [ByteRange(0, 3000)])
    #expect(remembered.file != nil)
  }

  @Test func whatIsRemovedBeforeTheLastByteLeavesNothing() throws {
    let bench = try Bench(Web(chunk: 1000))
    bench.web.answer { Served(content).held($0, after: 3000, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    bench.engine.remove([id], deleteFiles: true)
    bench.shutDown()
    #expect(bench.scratch.names == [])
  }

  @Test func aWrongDigestIsSetAside() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).whole($0) }
    let id = bench.fetch("/file") {
      $0.checksum = checksum(.sha256, of: [1])
    }
    #expect(bench.waitFailed(id)?.kind == .checksumDiffers)
    #expect(bench.scratch.names == ["file.bad"])
  }

  @Test func manyAreNamedBeforeTheirBatchHasEnded() throws {
    let bench = try Bench(jobs: 16)
    bench.web.answer { Served(Content(key: $0.path, size: 700)).whole($0) }
    let ids = bench.engine.add((0..<600).map { bench.request("/file\($0)") })
    let names = Names()
    bench.engine.start(ids) { [scratch = bench.scratch] in names.found = scratch.names }
    for id in ids { #expect(bench.waitFinished(id)) }
    bench.shutDown()
    #expect(names.found == (0..<600).map { "file\($0)" }.sorted())
  }

  /// The program was killed after the file got its name, and before the session said so.
  @Test(arguments: [5000, 4999])
  func whatAnEarlierProgramNamedIsNotFetchedIntoACopy(length: Int) throws {
    let scratch = Scratch()
    let file = open(scratch.files + "/file", O_CREAT | O_WRONLY, 0o644)
    #expect(write(file, content.bytes, length) == length)
    var raw = stat()
    fstat(file, &raw)
    close(file)
    let identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    let id = try remember(identity, in: scratch)
    let bench = try Bench(in: scratch)
    bench.web.answer { Served(content).whole($0) }
    bench.engine.start([id])
    #expect(bench.waitFinished(id))
    #expect(scratch.names == (length == 5000 ? ["file"] : ["file", "file (1)"]))
    #expect(bench.holds(length == 5000 ? "file" : "file (1)", content))
  }

  /// Leaves a session that knows of a file and claims none of its bytes.
  private func remember(_ file: FileIdentity, in scratch: Scratch) throws -> TransferID {
    let bench = try Bench(in: scratch)
    let answer = Answer(
      name: "file",
      total: ByteCount(content.size),
      validators: Validators(),
      isResumable: true
    )
    let transfer = Transfer(
      id: TransferID(1),
      request: bench.request("/file"),
      addedAt: WallTime(seconds: 0),
      answer: answer,
      file: file
    )
    bench.shutDown()
    try Session.open(directory: scratch.state).apply([.put(transfer)])
    return transfer.id
  }
}

/// What a callback has seen.
private final class Names: Sendable {
  private let names = Monitor<[String]>([])

  var found: [String] {
    get { names.withLock { $0 } }
    set { names.withLock { $0 = newValue } }
  }
}
