// SPDX-License-Identifier: Apache-2.0
//
// MetalinkTests: what becomes of Metalink 4 documents, good, odd and hostile ones.

import Connections
import Testing
import Transfers

@testable import winch

private let namespace = #"xmlns="urn:ietf:params:xml:ns:metalink""#
private let sha256 = String(repeating: "ab", count: 32)
private let sha1 = String(repeating: "cd", count: 20)

private func metalink(_ files: String) -> Metalink {
  Metalink(
    Array(
      #"<?xml version="1.0" encoding="UTF-8"?><metalink \#(namespace)>\#(files)</metalink>"#.utf8
    )
  )
}

private func file(_ inside: String, name: String = "a.iso") -> String {
  #"<file name="\#(name)">\#(inside)</file>"#
}

@Suite("Metalink")
struct MetalinkTests {
  @Test("A file has its name, size, digest and mirrors, the preferred one first")
  func whole() throws {
    let read = metalink(
      file(
        """
        <size>10</size><identity>A</identity>
        <hash type="sha-1">\(sha1)</hash><hash type="sha-256">\(sha256.uppercased())</hash>
        <url location="de">http://late/a.iso</url>
        <url priority="2"> http://second/a.iso </url>
        <url priority="1">https://first/a.iso</url>
        <metaurl mediatype="torrent">http://x/a.torrent</metaurl>
        <pieces length="4" type="sha-1"><hash>\(sha1)</hash><hash>\(sha1)</hash><hash>\(sha1)</hash></pieces>
        """
      )
    )
    #expect(read.problems.isEmpty)
    let entry = try #require(read.entries.first?.file)
    #expect(entry.name == "a.iso")
    #expect(entry.size == ByteCount(10))
    #expect(entry.checksum?.text == "sha-256:\(sha256)")
    #expect(entry.links.map(\.origin.host) == ["first", "second", "late"])
    #expect(entry.pieces?.count == 3)
    #expect(entry.pieces?.range(of: 2, in: ByteCount(10)) == ByteRange(8, 10))
    #expect(entry.pieces?.digest(of: 1).count == 20)
  }

  @Test(
    "Elements are nested as deep as anybody needs, and no deeper",
    arguments: [62, 63, 200_000]
  )
  func deep(count: Int) {
    let nested = String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)
    let read = metalink(file("<url>http://h/a.iso</url>" + nested))
    #expect(read.entries.count == (count == 62 ? 1 : 0))
    #expect(read.problems.count == (count == 62 ? 0 : 1))
  }

  @Test(
    "A name keeps nothing that leads out of the directory",
    arguments: [
      ("../../evil.sh", "evil.sh"), ("/etc/passwd", "passwd"), (".bashrc", "_bashrc"),
      ("-rf", "_-rf"), ("a\\b.iso", "b.iso"), ("x&#10;y", "x_y"), ("..", nil), ("", nil),
    ]
  )
  func names(_ told: String, _ kept: String?) throws {
    let read = metalink(file("<url>http://a/f</url>", name: told))
    #expect(try #require(read.entries.first).file.name == kept)
  }

  @Test("Of the links those are kept that can be fetched; a file without one is named")
  func links() {
    let some = metalink(file("<url>gopher://a/f</url><url>http://a/f</url><url>http://a/f</url>"))
    #expect(some.entries.map(\.file.links.count) == [1])
    let none = metalink(file("<url>gopher://a/f</url>") + file("<url>http://b/f</url>"))
    #expect(none.entries.map(\.file.links[0].origin.host) == ["b"])
    #expect(none.problems.map(\.text) == ["a.iso"])
    #expect(metalink(file("")).problems.map(\.reason) == [.link(.empty)])
  }

  @Test("A digest that cannot be read refuses the file, an unknown kind does not")
  func digests() {
    let url = "<url>http://a/f</url>"
    let broken = metalink(file(url + #"<hash type="sha-256">12</hash>"#))
    #expect(broken.entries.isEmpty && broken.problems.count == 1)
    let unknown = metalink(file(url + #"<hash type="blake9">12</hash>"#))
    #expect(unknown.entries.map(\.file.checksum) == [nil])
  }

  @Test(
    "Digests of pieces that do not fit the size are left out",
    arguments: [
      #"<size>9</size><pieces length="4" type="sha-1"><hash>\#(sha1)</hash></pieces>"#,
      #"<pieces length="4" type="sha-1"><hash>\#(sha1)</hash></pieces>"#,
      #"<size>4</size><pieces length="0" type="sha-1"><hash>\#(sha1)</hash></pieces>"#,
      #"<size>4</size><pieces length="4" type="sha-1"><hash>zz</hash></pieces>"#,
      #"<size>4</size><pieces length="4" type="none"><hash>\#(sha1)</hash></pieces>"#,
      #"<size>-4</size><pieces length="4" type="sha-1"><hash>\#(sha1)</hash></pieces>"#,
      #"<size>0</size><pieces length="4" type="sha-1"></pieces>"#,
    ]
  )
  func pieces(_ inside: String) throws {
    let read = metalink(file("<url>http://a/f</url>" + inside))
    #expect(try #require(read.entries.first).file.pieces == nil)
    // A digest of a piece is never taken for one of the file.
    #expect(read.entries.first?.file.checksum == nil)
  }

  @Test("Elements of another namespace say nothing, nor does what stands inside them")
  func foreign() {
    let inside =
      #"<x xmlns="urn:x"><url xmlns="urn:ietf:params:xml:ns:metalink">http://b/f</url></x>"#
    let read = metalink(file("<url>http://a/f</url>" + inside))
    #expect(read.entries.map(\.file.links.count) == [1])
  }

  @Test("A document that breaks off gives the files before, and says where it ended")
  func cut() {
    let text =
      "<metalink \(namespace)>\n" + file("<url>http://a/f</url>")
      + "\n<file name=\"b\"><url>http://b"
    let read = Metalink(Array(text.utf8))
    #expect(read.entries.map(\.file.links[0].origin.host) == ["a"])
    #expect(read.problems.map(\.number) == [3])
  }

  @Test("A document with a document type is refused before its entities could grow")
  func documentType() {
    let bomb = """
      <!DOCTYPE metalink [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>
      <metalink \(namespace)>\(file("<url>http://&b;/f</url>"))</metalink>
      """
    let read = Metalink(Array(bomb.utf8))
    #expect(read.entries.isEmpty)
    #expect(read.problems.count == 1)
  }

  @Test("XML that is no Metalink 4 is told so")
  func others() {
    let old = #"<metalink version="3.0" xmlns="http://www.metalinker.org/"><files/></metalink>"#
    #expect(Metalink(Array(old.utf8)).problems.map(\.reason) == [.oldMetalink])
    #expect(Metalink(Array("<html><body/></html>".utf8)).problems.map(\.reason) == [.notMetalink])
    #expect(metalink("").problems.map(\.reason) == [.notMetalink])
  }

  @Test("What describes a file has no login in its links, and none that needs a key")
  func descriptions() {
    let inside = """
      <size>7</size><url>sftp://a/f</url><url>ftp://a/f</url><url>http://u:p@b/f</url>
      <hash type="md5">900150983cd24fb0d6963f7d28e17f72</hash>
      """
    let found = Metalink(Array("<metalink \(namespace)>\(file(inside))</metalink>".utf8))
      .described.files
    #expect(found.map(\.size) == [7])
    #expect(found.first?.announced.mirrors.map(\.text) == ["ftp://a/f", "http://b/f"])
    #expect(found.first?.announced.mirrors.last?.login == nil)
    #expect(found.first?.announced.checksum?.algorithm == .md5)
    #expect(
      Metalink(Array("<html/>".utf8)).described.problem?.hasPrefix("line 1: XML with") == true
    )
  }

  @Test("A list is a Metalink when its first sign is that of XML")
  func likely() {
    #expect(Metalink.isLikely(Array("\u{FEFF}\n <?xml".utf8)))
    #expect(!Metalink.isLikely(Array("http://a/<x>".utf8)))
    #expect(!Metalink.isLikely([]))
  }
}
