// SPDX-License-Identifier: Apache-2.0
//
// CrashTests: a writer that is really killed, thirty times, at random moments.

import Glibc
import Storage
import Testing
import Transfers

/// A child process that is waited for exactly once.
private struct Child {
  let pid: pid_t

  init(_ program: String, _ arguments: [String]) throws {
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var started: pid_t = 0
    let result = posix_spawn(&started, program, nil, nil, &words, environ)
    try #require(result == 0, "cannot start \(program)")
    pid = started
  }

  /// Kills it.
  ///
  /// - Returns: Whether it was alive until then.
  func kill() -> Bool {
    Glibc.kill(pid, SIGKILL)
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    return status & 0x7F == SIGKILL
  }
}

/// The executable beside this test's own.
private func neighbour(_ name: String) throws -> String {
  let own = try #require(realpath("/proc/self/exe", nil))
  defer { free(own) }
  let folders = String(cString: own).split(separator: "/").dropLast()
  return folders.reduce("") { "\($0)/\($1)" } + "/\(name)"
}

/// The same formula as in CrashingWriter.
private func expectedByte(_ id: TransferID, _ offset: Int64) -> UInt8 {
  UInt8(truncatingIfNeeded: (offset &* 2_654_435_761) >> 13 ^ id.number)
}

@Suite("Killed at random moments")
struct CrashTests {
  @Test("After thirty kills every claimed byte is right, and the queue is whole")
  func claimedBytesAreRight() throws {
    let scratch = Scratch()
    let state = scratch.path("state")
    var newest: Int64 = 0
    var claimed: Int64 = 0
    for round in 0..<30 {
      let writer = try neighbour("CrashingWriter")
      let child = try Child(writer, [state, scratch.path, "\(round)"])
      if round % 3 > 0 { waitUntilWritten(Int.random(in: 1..<120_000), state) }
      #expect(child.kill(), "the writer must not end by itself")
      // The dead owner's lock must not be in the way.
      let session = try Session.open(directory: state)
      let queue = try session.load()
      claimed += try check(queue, in: scratch.path, after: newest)
      newest = queue.first?.id.number ?? newest
      #expect(session.nextID.number > newest)
    }
    #expect(claimed > 0)
    #expect(newest >= 5)
  }

  /// Returns when the writer has committed so many bytes; the log is new with every start.
  private func waitUntilWritten(_ bytes: Int, _ state: String) {
    let deadline = ContinuousClock.now + .seconds(30)
    while (contents(state + "/session.db-wal")?.count ?? 0) < bytes {
      guard ContinuousClock.now < deadline else { return }
      poll(nil, 0, 1)
    }
  }

  /// Checks what a killed writer left.
  ///
  /// - Returns: The number of bytes that were claimed and right.
  private func check(
    _ queue: [Transfer],
    in directory: String,
    after newest: Int64
  ) throws -> Int64 {
    guard let first = queue.first else { return 0 }
    #expect(first.id.number >= newest, "an id that was stored is never given again")
    #expect(queue.map(\.id.number) == (0..<5).map { first.id.number - $0 })
    #expect(queue.dropFirst().allSatisfy { $0.have.isEmpty })
    guard let identity = first.file, !first.have.isEmpty else { return 0 }
    let file = try PartialFile.reopen(in: directory, name: first.name, identity: identity)
    for range in first.have.ranges {
      var bytes = [UInt8](repeating: 0, count: Int(range.count))
      let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: range.lower) }
      #expect(count == bytes.count)
      let wrong = bytes.indices.first { index in
        bytes[index] != expectedByte(first.id, range.lower + Int64(index))
      }
      #expect(wrong == nil, "round ends with a wrong byte in \(range)")
    }
    return first.have.count
  }
}
