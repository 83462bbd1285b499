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
  @Test(arguments: [true, false])
  func whatAnEarlierProgramNamedIsNotFetchedIntoACopy(isEqual: Bool) throws {
    let scratch = Scratch()
    let first = try Bench(in: scratch, jobs: 1)
    let id = first.engine.add([first.request("/file")])[0]
    first.shutDown()
    let bytes = isEqual ? content.bytes : content.bytes.reversed()
    let file = open(scratch.files + "/file", O_CREAT | O_WRONLY, 0o644)
    #expect(write(file, bytes, bytes.count) == bytes.count)
    close(file)
    let second = try Bench(in: scratch)
    second.web.answer { Served(content).whole($0) }
    second.engine.start([id])
    #expect(second.waitFinished(id))
    #expect(scratch.names == (isEqual ? ["file"] : ["file", "file (1)"]))
    #expect(second.holds(isEqual ? "file" : "file (1)", content))
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
