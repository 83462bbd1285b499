// SPDX-License-Identifier: Apache-2.0
//
// What a program that is killed in the middle leaves of its transfers' logs.

import FaultServer
import Glibc
import Testing
import Transfers

@Suite struct LogTests {
  private let world = World()
  private let content = Content(size: 4_000_000)
  private let valve = Valve(bytes: 1_000_000)

  @Test func `what a running transfer has told is there after a kill, and goes on`() async throws {
    let link = world.serve("/big.iso?token=s3cret", content)
    world.server.on(
      "/big.iso",
      .file(content) {
        $0.valve = valve
        $0.failures = Behaviour.Failures(first: 1, status: 503)
      }
    )
    let child = world.winch(["get", "-n", "1", link])
    #expect(await eventually { world.logs.contains { $0.hasPrefix("answered: 4000000 bytes") } })
    kill(child.id, SIGKILL)
    #expect(try #require(await child.ended()).code == -SIGKILL)
    let left = world.logs
    #expect(left.contains { $0.contains("bytes 0-, 503") }, "\(left)")
    #expect(left.contains { $0.hasPrefix("try 2 of") }, "\(left)")
    valve.open()
    #expect(try await world.get("-n", "1", link).code == 0)
    #expect(Array(world.logs.prefix(left.count)) == left)
    #expect(world.logs.last?.hasPrefix("finished") == true, "\(world.logs)")
    #expect(!world.logs.joined().contains("s3cret"))
  }
}
