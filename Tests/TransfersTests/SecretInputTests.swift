// SPDX-License-Identifier: Apache-2.0
//
// What a line that is being edited shows of the secrets in it.

import Testing
import Transfers

@Suite struct `Secrets in a line` {
  @Test(
    arguments: [
      ("https://ann:s3cret@host.test/a", "https://ann:******@host.test/a"),
      ("https://:s3cret@host.test/a", "https://:******@host.test/a"),
      ("https:/ann:s3cret@host.test", "https:/ann:******@host.test"),
      ("ann:s3cret@host.test/a", "ann:******@host.test/a"),
      ("ftp://ann:a@b:c@host.test", "ftp://ann:*****@host.test"),
      ("ftp://ann:s3/cr?et@host.test", "ftp://ann:********@host.test"),
      ("https://ann:s3cr", "https://ann:****"),
      ("sftp://ann:日本語@[::1]:22/x", "sftp://ann:***@[::1]:22/x"),
      ("http://a:b@x\thttp://c:d@y", "http://a:*@x\thttp://c:*@y"),
      ("  header=Authorization:Basic", "  header=Authorization:*****"),
      ("  header=X-Api-Key: s3cret", "  header=X-Api-Key: ******"),
      ("curl -u ann:s3cret 'https://h/'", "curl -u ann:****** 'https://h/'"),
      ("-H 'Cookie: a=1; b=2' -H 'Accept: x'", "-H 'Cookie: ********' -H 'Accept: x'"),
    ]
  )
  func `are stars, one for each character`(line: String, shown: String) {
    #expect(SecretInput.masked(line) == shown)
    #expect(SecretInput.masked(line).count == line.count)
  }

  @Test(arguments: [
    "", ":", "https://host.test:8080/a:b@c", "http://[::1]:81/x", "host.test:443", "https://ann@h/",
    "https://ann:@h/", "out=Episode:One.mkv", "https://h/x?a=1#b", "a line of words: no secrets",
  ])
  func `nothing else is`(line: String) {
    #expect(SecretInput.masked(line) == line)
  }
}
