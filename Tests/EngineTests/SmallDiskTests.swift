// SPDX-License-Identifier: Apache-2.0
//
// A disk without room: the transfer pauses, and goes on by itself when there is room again.

import FaultServer
import Glibc
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "disk", size: 3 * 1024 * 1024)

/// A file system of its own, gone with the test.
private final class SmallDisk: Sendable {
  let scratch = Scratch()

  init?(kilobytes: Int) {
    guard mount("tmpfs", scratch.files, "tmpfs", 0, "size=\(kilobytes)k") == 0 else { return nil }
  }

  deinit { umount2(scratch.files, Int32(MNT_DETACH)) }

  /// Takes room away.
  func fill(_ bytes: Int) -> Bool {
    let file = open(scratch.files + "/ballast", O_CREAT | O_WRONLY, 0o600)
    defer { close(file) }
    return posix_fallocate(file, 0, bytes) == 0
  }

  func clear() { unlink(scratch.files + "/ballast") }
}

private let canMount = SmallDisk(kilobytes: 64) != nil

@Suite(.enabled(if: canMount, "mounting is not allowed here"))
struct SmallDiskTests {
  @Test func aFullDiskPausesAndRoomResumes() throws {
    let disk = try #require(SmallDisk(kilobytes: 6 * 1024))
    #expect(disk.fill(4 * 1024 * 1024))
    let bench = try Bench(in: disk.scratch)
    bench.web.answer { Served(content).whole($0) }
    let id = bench.fetch("/file")
    #expect(bench.waitPaused(id))
    guard case .paused(.diskFull)? = bench.state(id) else {
      Issue.record("\(String(describing: bench.state(id)))")
      return
    }
    // As long as there is no room the server is left alone.
    for _ in 0..<32 { bench.engine.tick() }
    #expect(bench.web.asked.count == 1)
    disk.clear()
    let isDone = bench.wait("it goes on") {
      bench.engine.tick()
      return bench.state(id)?.isFinished == true && !bench.isRunning(id)
    }
    #expect(isDone)
    #expect(bench.scratch.names == ["file"])
    #expect(bench.holds("file", content))
  }

  @Test func roomThatIsReservedAlreadyIsNotAskedForTwice() throws {
    let disk = try #require(SmallDisk(kilobytes: 5 * 1024))
    let bench = try Bench(in: disk.scratch)
    let middle: Int64 = 1024 * 1024
    bench.web.answer { Served(content).held($0, after: middle, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    for _ in 0..<20 { bench.engine.tick() }
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(disk.fill(1024 * 1024 + 512 * 1024))
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }
}
