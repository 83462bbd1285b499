// SPDX-License-Identifier: Apache-2.0
//
// What the parser of links takes and refuses.

import Connections
import Testing
import Transfers

@Test func aLinkIsTakenApartOnce() throws {
  let link = try Link(parsing: " HTTP://bob:p%40s@EXAMPLE.org:80/a b/%41?x=1#frag\n")
  #expect(link.text == "http://example.org/a%20b/%41?x=1")
  #expect(link.origin == Origin(scheme: .http, host: "example.org", port: 80))
  #expect(link.path == "/a%20b/%41")
  #expect(link.login == Login(user: "bob", password: "p@s"))
}
