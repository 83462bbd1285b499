// SPDX-License-Identifier: Apache-2.0
//
// Tests of Link and HeaderField: what must not be seen and what must not get onto the wire.

import Testing
import Transfers

@Suite struct `Links` {
  private func link(_ text: String, login: Login?) -> Link {
    let origin = Origin(scheme: .https, host: "host.test", port: 443)
    return Link(text: text, origin: origin, path: "/a/b.iso", login: login)
  }

  @Test(
    arguments: [
      ("https://host.test/a/b.iso", nil, "https://host.test/a/b.iso"),
      (
        "https://host.test/a/b.iso", Login(user: "ann", password: "s3cret"),
        "https://ann:***@host.test/a/b.iso"
      ),
      ("http://[::1]:81/x", Login(user: "ann", password: "s3cret"), "http://ann:***@[::1]:81/x"),
      ("https://host.test/", Login(user: "ann", password: ""), "https://ann:***@host.test/"),
    ] as [(String, Login?, String)]
  )
  func `a link for people has the user and never the password`(
    text: String,
    login: Login?,
    shown: String
  ) {
    #expect(link(text, login: login).shown == shown)
  }

  @Test(
    arguments: [
      ("", ""), ("?", "?"), ("?version=12", "?version=12"), ("?a=1&b=2;c", "?a=1&b=2;c"),
      ("?q=" + String(repeating: "a", count: 58), "?q=" + String(repeating: "a", count: 58)),
      ("?q=" + String(repeating: "a", count: 59), "?…"), ("?token=T0P", "?…"),
      ("?a=1&SIG=T0P", "?…"),
      ("?X-Amz-Signature=T0P", "?…"), ("?X-Amz-Credential=T0P", "?…"), ("?Key-Pair-Id=T0P", "?…"),
      ("?api_key=T0P", "?…"), ("?user=bob&pass=T0P", "?…"), ("?passwd=T0P", "?…"),
      ("?client_secret=T0P", "?…"), ("?a;auth=T0P", "?…"), ("?%74oken=T0P", "?…"),
      ("?access_token", "?…"), ("?session_id=T0P", "?…"), ("?name=token", "?name=token"),
      ("?a=1?token=T0P", "?…"), ("?a?token=T0P", "?…"),
    ]
  )
  func `a long or secret query is not for people`(query: String, shown: String) {
    let start = "https://host.test/a/b.iso"
    #expect(link(start + query, login: nil).shown == start + shown)
    let login = Login(user: "ann", password: "s3cret")
    let full = link(start + query, login: login)
    #expect(full.shown == "https://ann:***@host.test/a/b.iso" + shown)
    #expect("\(full)" == full.shown)
    #expect(full.text == start + query)
  }

  @Test func `no interpolated or dumped value tells the password`() {
    let link = link("https://host.test/", login: Login(user: "ann", password: "s3cret"))
    let request = TransferRequest(mirrors: [link], directory: "/tmp")
    for text in ["\(link)", String(reflecting: link), "\(request)", String(reflecting: request)] {
      #expect(!text.contains("s3cret"))
      #expect(text.contains("ann:***"))
    }
  }
}

@Suite struct `Header fields` {
  @Test(arguments: [
    ("Cookie", "a=b; c=d", "a=b; c=d"),
    ("Authorization", "Bearer x", "Bearer x"),
    ("X-!#$%&'*+-.^_`|~9", "odd but legal", "odd but legal"),
    ("Empty", "", ""),
    ("Blank", " \t ", ""),
    ("Padded", " \tvalue within\t ", "value within"),
    ("Unicode", "Grüße", "Grüße"),
  ])
  func `a legal field keeps its name and its value without outer blanks`(
    name: String,
    value: String,
    kept: String
  ) throws {
    let field = try #require(HeaderField(name: name, value: value))
    #expect(field.name == name)
    #expect(field.value == kept)
  }

  @Test(arguments: [
    "a\rb", "a\nb", "a\r\nHost: evil", "a\0b", "\n", "a\n", "\r\na", "a\r", "a\0", "a\u{1B}[2Jb",
    "\u{7F}", "\u{1}", "a\u{8}", "\u{1F}",
  ])
  func `a value that could begin another line or move a cursor is refused`(value: String) {
    #expect(HeaderField(name: "Cookie", value: value) == nil)
  }

  @Test func `no interpolated value tells what a field holds`() throws {
    let field = try #require(HeaderField(name: "X-Key", value: "s3cret"))
    #expect("\(field) \([field])" == "X-Key: *** [X-Key: ***]")
  }

  @Test(arguments: [
    "", " ", "A B", "A:", ":A", "A\r", "A\nB", "A\0", "A\t", "Ä", "A(B)", "A/B", "A\"", "A,B", "A=",
    "A@B", "[A]", "{A}", "A;", "A\u{7F}",
  ])
  func `a name that is no token is refused`(name: String) {
    #expect(HeaderField(name: name, value: "value") == nil)
  }
}
