// SPDX-License-Identifier: Apache-2.0
//
// A digest that only the first answer told, and the program killed in the middle: the end is still
// checked against it.

import FaultServer
import Glibc
import Storage
import Testing
import Transfers

@Suite struct AnnouncedKillTests {
  private let world = World()
  private let content = Content(size: 4_000_000)

  /// Runs `winch get` until the session has the digest and some of the bytes, and kills it.
  private func beginAndKill(announcing announced: Content) async throws -> String {
    var digest = try Digest(.sha256)
    announced.bytes.withUnsafeBytes { digest.update($0) }
    let field = "Repr-Digest: sha-256=:\(base64(digest.finish())):"
    let link = world.serve("/big.iso", content) {
      $0.valve = Valve(bytes: 2_000_000)
      $0.add(field)
    }
    let child = world.winch(["get", "-n", "1", link])
    let isRemembered = await eventually {
      let known = (try? world.remembered())?.first
      return known?.answer?.announced.checksum != nil && known?.have.isEmpty == false
    }
    #expect(isRemembered, "\(child.error)")
    kill(child.id, SIGKILL)
    #expect(try #require(await child.ended()).code == -SIGKILL)
    return link
  }

  /// Runs the same command again while the server tells no digest any more.
  private func carryOn(_ link: String) async throws -> Ending {
    let first = world.server.requests.count
    _ = world.serve("/big.iso", content)
    let ending = try await world.get("-n", "1", link)
    let range = world.server.requests.dropFirst(first).first?.range
    #expect(range?.hasPrefix("bytes=") == true && range?.hasPrefix("bytes=0-") == false)
    return ending
  }

  @Test func `what agrees is told to be checked`() async throws {
    let ending = try await carryOn(try await beginAndKill(announcing: content))
    #expect(ending.code == 0, "\(ending.error)")
    #expect(ending.error.contains("SHA-256 ok"), "\(ending.error)")
    #expect(names(in: world.downloads) == ["big.iso"])
  }

  @Test func `what differs is kept as bad`() async throws {
    let ending = try await carryOn(try await beginAndKill(announcing: content.version(2)))
    #expect(ending.code == 1, "\(ending.error)")
    #expect(ending.error.contains("checksum differs"), "\(ending.error)")
    #expect(names(in: world.downloads) == ["big.iso.bad"])
  }
}
