// SPDX-License-Identifier: Apache-2.0
//
// What a shell allows a process: more descriptors than it set are used, and a limit on the size of
// files is an error with words.

import FaultServer
import Glibc
import Testing

@Suite struct ProcessLimitTests {
  private let world = World()

  @Test func `more files than the shell has set are open at once`() async throws {
    let files = (0..<60).map { Original("file\($0)", size: 300_000) }
    let links = files.map { world.serve("/" + $0.key, $0.content) }
    let ending = try await limited("ulimit -S -n 40", ["-j", "30"] + links)
    #expect(ending.code == 0, "\(ending.error)")
    for file in files { #expect(file.isEqual(world.saved(file.key))) }
  }

  @Test func `a file that may not grow any more is a failure with words`() async throws {
    let file = Original("large", size: 3_000_000)
    // In units of 512 bytes.
    let ending = try await limited("ulimit -f 2000", [world.serve("/large", file.content)])
    #expect(ending.code == 1)
    #expect(ending.error.contains("disk error"), "\(ending.error)")
    #expect(world.saved("large") == nil)
  }

  private func limited(_ limit: String, _ arguments: [String]) async throws -> Ending {
    let script = "\(limit) && exec \"$0\" get \"$@\""
    let child = world.start(["/bin/sh", "-c", script, World.program] + arguments)
    return try #require(await child.ended(), "winch did not end")
  }
}
