// SPDX-License-Identifier: Apache-2.0
//
// What a server has told about the whole file holds after the program has begun anew.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "announced", size: 5 * 1024 * 1024 + 17)
private let begun: Int64 = 512 * 1024

/// `Repr-Digest` of a content (RFC 9530).
private func field(_ content: Content) -> ResponseField {
  let digest = checksum(.sha256, of: content.bytes).digest
  return ResponseField("repr-digest", "sha-256=:\(base64(digest)):")
}

@Suite struct AnnouncedTests {
  /// Begins a file with these fields, ends the program, and begins anew.
  private func restart(
    _ fields: [ResponseField],
    _ script: @escaping Web.Script
  ) throws -> (Bench, TransferID) {
    let first = try Bench()
    first.web.answer { asked in
      var served = Served(content)
      served.fields = fields
      return served.held(asked, after: begun, at: "middle")
    }
    let id = first.fetch("/file")
    #expect(first.web.reaches("middle"))
    first.shutDown()
    let again = try Bench(in: first.scratch)
    again.web.answer(script)
    again.engine.start([id])
    return (again, id)
  }

  private func verification(_ bench: Bench, _ id: TransferID) -> Verification? {
    guard case .finished(let completion)? = bench.state(id) else { return nil }
    return completion.verification
  }

  @Test func aDigestIsCheckedAfterARestart() throws {
    let (bench, id) = try restart([field(content)]) { Served(content).whole($0) }
    #expect(bench.waitFinished(id))
    #expect(bench.web.asked.first.map { $0.start > 0 } == true)
    #expect(verification(bench, id) == .checked(.sha256))
  }

  @Test func aDigestThatDiffersIsFoundAfterARestart() throws {
    let (bench, id) = try restart([field(content.version(2))]) { Served(content).whole($0) }
    #expect(bench.waitFailed(id)?.kind == .checksumDiffers)
    #expect(bench.scratch.names == ["file.bad"])
  }

  @Test func aLaterPartMaySpeakForTheWholeFile() throws {
    let (bench, id) = try restart([]) { asked in
      var served = Served(content)
      served.fields = [field(content)]
      return served.whole(asked)
    }
    #expect(bench.waitFinished(id))
    #expect(verification(bench, id) == .checked(.sha256))
  }

  @Test func theDigestOfAnotherVersionGoesWithItsBytes() throws {
    let newer = content.version(2)
    let (bench, id) = try restart([field(content)]) { Served(newer).whole($0) }
    #expect(bench.pump(id))
    #expect(bench.holds("file", newer))
    #expect(verification(bench, id) == .lengthOnly)
  }

  @Test func linksThatWereNamedGoOnWhereTheFirstIsGone() throws {
    let named = ResponseField("link", "<http://two.test/copy>; rel=duplicate")
    let (bench, id) = try restart([named]) { asked in
      let isFirst = asked.request.link.origin.host == "one.test"
      return isFirst ? [.fail(Failure(.cannotConnect))] : Served(content).whole(asked)
    }
    #expect(bench.pump(id))
    #expect(bench.holds("file", content))
    let asked = bench.web.asked.filter { $0.path == "/copy" }
    #expect(asked.allSatisfy { $0.request.range != .whole })
  }

  @Test func aLinkThatWasNamedNeverGivesAFileFromItsStart() throws {
    let named = ResponseField("link", "<http://two.test/copy>; rel=duplicate")
    let first = try Bench()
    first.web.answer { asked in
      var served = Served(content)
      served.fields = [named]
      return served.held(asked, after: begun, at: "middle")
    }
    let id = first.fetch("/file")
    #expect(first.web.reaches("middle"))
    first.shutDown()
    truncateFile(first.scratch.files + "/file.part", to: 0)
    let again = try Bench(in: first.scratch)
    again.web.answer { asked in
      let isFirst = asked.request.link.origin.host == "one.test"
      return isFirst && asked.turn == 1
        ? [.fail(Failure(.cannotConnect))] : Served(content).whole(asked)
    }
    again.engine.start([id])
    #expect(again.pump(id))
    #expect(again.holds("file", content))
    #expect(again.web.asked.map(\.path) == ["/file", "/file"])
  }
}
