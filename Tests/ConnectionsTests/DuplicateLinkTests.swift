// SPDX-License-Identifier: Apache-2.0
//
// Link fields as servers send them, good and bad.

import Testing
import Transfers

@testable import Connections

@Suite struct DuplicateLinkTests {
  private func duplicates(_ fields: String...) throws -> [String] {
    let link = try Link(parsing: "https://a.example/dir/file.iso")
    let head = ResponseHead(
      status: 200,
      fields: fields.map { ResponseField("Link", $0) },
      link: link
    )
    return head.duplicates.map(\.text)
  }

  @Test func theyComeInTheOrderOfTheirPreference() throws {
    let found = try duplicates(
      "<http://b.example/1>; rel=duplicate, <http://c.example/2>; rel=\"duplicate\"; pri=2; geo=de",
      "<http://d.example/3>;pri=1;pref;rel=duplicate"
    )
    #expect(found == ["http://d.example/3", "http://c.example/2", "http://b.example/1"])
  }

  @Test(arguments: [
    ("<http://b.example/1>; rel=describedby", 0), ("<ftp://b.example/1>; rel=duplicate", 0),
    ("<file:///etc/passwd>; rel=duplicate", 0), ("<http://b.example/1", 0), ("", 0), (",,,", 0),
    ("<http://b.example/1>; rel=\"duplicate", 1), ("<http://b.example/1>; REL=Duplicate", 1),
    ("<http://b.example/1>; rel=\"alternate duplicate\"", 1), ("nonsense", 0),
    ("<http://b.example/1>; rel = duplicate ; title=\"a, b; c\", <c>; rel=duplicate", 2),
    ("<../up/file.iso>; rel=duplicate", 1), ("<>; rel=duplicate", 0),
    ("<https://a.example/dir/file.iso>; rel=duplicate", 0),
    ("<http://b.example/1>; rel=duplicate, <http://b.example/1>; rel=duplicate", 1),
    ("<http://b.example/1>; rel=duplicate; pri=99999999999999999999", 1),
  ])
  func whatIsNoDuplicateIsLeftOut(text: String, count: Int) throws {
    #expect(try duplicates(text).count == count)
  }

  @Test func loginsAreDroppedAndSixteenAreEnough() throws {
    #expect(try duplicates("<http://u:p@b.example/1>; rel=duplicate") == ["http://b.example/1"])
    let many = (0..<50).map { "<http://b.example/\($0)>; rel=duplicate" }
    #expect(try duplicates(many.joined(separator: ", ")).count == 16)
    let long = "<http://b.example/\(String(repeating: "x", count: 20_000))>; rel=duplicate"
    #expect(try duplicates(long).isEmpty)
  }

  @Test(arguments: [
    ("<f.meta4>; rel=describedby; type=\"application/metalink4+xml\"", true),
    ("<f.meta4>; rel=\"describedby\"; type=application/metalink4+xml", true),
    ("<f.meta4>; rel=describedby; type=\"application/xml\"", false),
    ("<f.meta4>; rel=describedby", false), ("<>; rel=describedby", false),
    ("<f.meta4>; rel=duplicate; type=\"application/metalink4+xml\"", false),
    ("<ftp://b/f.meta4>; rel=describedby; type=\"application/metalink4+xml\"", false),
  ])
  func aMetalinkIsADescription(text: String, isOne: Bool) throws {
    let head = ResponseHead(
      status: 200,
      fields: [ResponseField("link", text)],
      link: try Link(parsing: "https://a.example/dir/file.iso")
    )
    #expect(head.describedBy?.text == (isOne ? "https://a.example/dir/f.meta4" : nil))
  }
}
