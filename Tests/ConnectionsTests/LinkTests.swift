// SPDX-License-Identifier: Apache-2.0
//
// What the parser of links takes and refuses, and where a Location leads.

import Testing
import Transfers

@testable import Connections

@Suite struct LinkTests {
  @Test func aLinkIsTakenApartOnce() throws {
    let link = try Link(parsing: " HTTP://bob:p%40s@EXAMPLE.org:80/a b/%41?x=1#frag\n")
    #expect(link.text == "http://example.org/a%20b/%41?x=1")
    #expect(link.origin == Origin(scheme: .http, host: "example.org", port: 80))
    #expect(link.path == "/a%20b/%41")
    #expect(link.login == Login(user: "bob", password: "p@s"))
    #expect(link.shown == "http://bob:***@example.org/a%20b/%41?x=1")
  }

  @Test(arguments: [
    ("http://h", "http://h/", "/", 80),
    ("https://h", "https://h/", "/", 443),
    ("https://h:443/x", "https://h/x", "/x", 443),
    ("https://h:8443/x", "https://h:8443/x", "/x", 8443),
    ("http://[::1]:8080/x", "http://[::1]:8080/x", "/x", 8080),
    ("http://h/\u{E9}/\u{6587}", "http://h/%c3%a9/%e6%96%87", "/%c3%a9/%e6%96%87", 80),
    ("http://h/a/../b?q=a b", "http://h/b?q=a+b", "/b", 80),
    (
      "http://h/%0d%0aX-Injected:%20yes", "http://h/%0d%0aX-Injected:%20yes",
      "/%0d%0aX-Injected:%20yes", 80
    ),
    ("http://h/x?sig=a%2Fb&c=%20", "http://h/x?sig=a%2Fb&c=%20", "/x", 80),
    ("http://b\u{FC}cher.example/x", "http://b\u{FC}cher.example/x", "/x", 80),
    ("http://h?q", "http://h/?q", "/", 80),
  ])
  func linksAreMadeReadyForTheWire(
    _ text: String,
    _ wire: String,
    _ path: String,
    _ port: Int
  ) throws {
    let link = try Link(parsing: text)
    #expect(link.text == wire)
    #expect(link.path == path)
    #expect(link.origin.port == port)
    #expect(link.login == nil)
    #expect(try Link(parsing: link.text) == link)
  }

  /// Plain links are not given to libcurl's parser, so they have to come out as it would have them.
  @Test(arguments: [
    "http://h/x", "https://a.example.org/dir/file-1_2~3.tar.gz",
    "http://127.0.0.1:8080/small/a.bin",
    "http://h/", "http://h//x", "http://h/a/.b", "http://h/a/../b", "http://h/a/./b", "http://h/..",
    "http://1.2.3/x", "http://127.1/x", "http://0x7f.0.0.1/x", "http://010.0.0.1/x",
    "http://256.1.1.1/x",
    "http://a.b1/x", "http://a..b/x", "http://h./x", "http://h:80/x", "http://h:080/x",
    "http://h:0/x",
    "http://h:65536/x", "http://h:/x", "http://h:8a/x", "http://H/x", "HTTP://h/x",
    "https://h:443/x",
    "https://h:80/x", "http://u@h/x", "http://h/x?y", "http://h/x#y", "http://h/a%20b",
    "http://-h/x",
    "http:///x", "http://h", "http://1/x", "http://3232235777/x", "http://a_b/x",
  ])
  func plainLinksComeOutAsTheParserHasThem(_ text: String) throws {
    guard let plain = PlainLink.parse(Array(text.utf8)[...]) else { return }
    let base = try Link(parsing: "https://base.example/?q")
    #expect(try Link(resolving: Array(text.utf8), against: base) == plain)
  }

  @Test func mostLinksArePlain() throws {
    for text in ["http://127.0.0.1:8080/small/a.bin", "https://a-b.example.org/x/y_z-1.tar.gz"] {
      #expect(PlainLink.parse(Array(text.utf8)[...])?.text == text)
    }
  }

  @Test func aVeryLongLinkIsTaken() throws {
    let path = "/" + String(repeating: "a", count: 9000)
    #expect(try Link(parsing: "http://h" + path).path == path)
  }

  @Test(arguments: [
    ("", LinkError.empty),
    (" \n", .empty),
    ("gopher://h/x", .unsupportedScheme("gopher")),
    ("file:///etc/passwd", .unsupportedScheme("file")),
    ("http://", .badHost),
    ("http:///nohost", .badHost),
    ("http://h o s t/", .badHost),
    ("http://h:99999/", .badPort),
    ("http://h:x/", .badPort),
    ("http://h/a\u{1B}[31m", .controlByte),
    ("http://h/a\r\nX-Evil: 1", .controlByte),
    ("http://h/a\u{0}b", .controlByte),
    ("http://h/a\tb", .controlByte),
    ("http://u%00:p@h/", .badLogin),
    ("http://:secret@h/", .badLogin),
    ("http://[::1/", .badHost),
  ])
  func whatIsNoLinkIsRefusedWithItsReason(_ text: String, _ error: LinkError) {
    #expect(throws: error) { try Link(parsing: text) }
    #expect(!error.line.contains("\n"))
    #expect(!error.line.isEmpty)
  }

  @Test func aMissingSchemeComesWithAGuess() throws {
    let meant = try Link(parsing: "https://example.org/x")
    #expect(throws: LinkError.noScheme(guess: meant)) { try Link(parsing: "example.org/x") }
    #expect(throws: LinkError.noScheme(guess: nil)) { try Link(parsing: "what is this") }
    #expect(try Link(parsing: "example.org/x", assumingHTTPS: true) == meant)
    #expect(try Link(parsing: "localhost:8080/x", assumingHTTPS: true).origin.port == 8080)
    #expect(throws: LinkError.noScheme(guess: nil)) {
      try Link(parsing: "what is this", assumingHTTPS: true)
    }
  }

  @Test(arguments: [
    ("/y", "https://h:8443/y"),
    ("y?q=1", "https://h:8443/a/y?q=1"),
    ("?q=2", "https://h:8443/a/b?q=2"),
    ("//other/z", "https://other/z"),
    ("http://other", "http://other/"),
    ("../../../z", "https://h:8443/z"),
    ("/a b", "https://h:8443/a%20b"),
    ("https://bob:secret@other/z#f", "https://other/z"),
  ])
  func aLocationIsResolved(_ location: String, _ url: String) throws {
    let base = try Link(parsing: "https://h:8443/a/b?q=1")
    let next = try Link(resolving: Array(location.utf8), against: base)
    #expect(next.text == url)
    #expect(next.login == nil)
  }

  @Test func aLocationInRawLatin1IsEncodedByteByByte() throws {
    let base = try Link(parsing: "http://h/")
    #expect(try Link(resolving: [0x2F, 0xE9], against: base).text == "http://h/%e9")
    #expect(throws: LinkError.unsupportedScheme("file")) {
      try Link(resolving: Array("file:///etc/hostname".utf8), against: base)
    }
    #expect(throws: LinkError.controlByte) { try Link(resolving: [0x2F, 0x1B], against: base) }
  }
}
