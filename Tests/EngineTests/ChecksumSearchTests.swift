// SPDX-License-Identifier: Apache-2.0
//
// ChecksumSearchTests: a digest that is looked for beside a link.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "sums", size: 300_000)
private let digest = checksum(.sha256, of: content.bytes).hex

@Suite struct ChecksumSearchTests {
  /// A server with the file and some lists; everything else is not there.
  private func bench(_ lists: [String: String]) throws -> Bench {
    let bench = try Bench()
    bench.web.answer { asked in
      if asked.path == "/d/a%20b.iso" { return Served(content).whole(asked) }
      guard let text = lists[asked.path] else { return [.head(404, [])] }
      return [.head(200, []), .text(text)]
    }
    return bench
  }

  private func verification(_ bench: Bench) -> Verification? {
    let id = bench.fetch("/d/a%20b.iso?key=1") { $0.findsChecksum = true }
    #expect(bench.waitFinished(id))
    guard case .finished(let completion)? = bench.state(id) else { return nil }
    return completion.verification
  }

  @Test func theFilesOwnListIsAskedFirst() throws {
    let bench = try bench(["/d/a%20b.iso.sha256": digest])
    #expect(verification(bench) == .checked(.sha256))
    #expect(bench.web.asked.map(\.path) == ["/d/a%20b.iso.sha256", "/d/a%20b.iso"])
    #expect(bench.web.asked.first?.request.link.text.hasSuffix(".sha256") == true)
  }

  @Test func thenTheListOfTheDirectory() throws {
    let bench = try bench([
      "/d/SHA256SUMS": "\(String(repeating: "0", count: 64))  x\n\(digest)  a b.iso\n"
    ])
    #expect(verification(bench) == .checked(.sha256))
  }

  @Test func withoutAListTheFileArrivesUncheckedAndThatIsTold() throws {
    let bench = try bench(["/d/SHA256SUMS": "<html>no such list</html>"])
    #expect(verification(bench) == .lengthOnly)
    #expect(bench.engine.log(of: TransferID(1)).contains { $0.text.contains("no checksum found") })
  }

  @Test func whatDoesNotAgreeIsNotCalledDone() throws {
    let bench = try bench(["/d/SHA256SUMS": "\(String(repeating: "0", count: 64))  a b.iso\n"])
    let id = bench.fetch("/d/a%20b.iso") { $0.findsChecksum = true }
    #expect(bench.waitFailed(id)?.kind == .checksumDiffers)
  }

  @Test func aGivenChecksumAndAPlainRequestAskForNoList() throws {
    let bench = try bench([:])
    let given = bench.fetch("/d/a%20b.iso") {
      $0.findsChecksum = true
      $0.checksum = checksum(.sha256, of: content.bytes)
    }
    let plain = bench.fetch("/d/a%20b.iso")
    #expect(bench.waitFinished(given) && bench.waitFinished(plain))
    #expect(bench.web.asked.allSatisfy { $0.path == "/d/a%20b.iso" })
  }

  @Test func aListThatNeverComesDoesNotHoldUpAPause() throws {
    let bench = try Bench()
    bench.web.answer { _ in [.hold("list")] }
    let id = bench.fetch("/d/a%20b.iso") { $0.findsChecksum = true }
    #expect(bench.web.reaches("list"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    #expect(bench.web.asked.count == 1)
  }
}
