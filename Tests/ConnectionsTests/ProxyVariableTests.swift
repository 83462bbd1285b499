// SPDX-License-Identifier: Apache-2.0
//
// Which proxy variables are usable, and what becomes of the others.

import FaultServer
import Glibc
import Testing

@testable import Connections

private let content = Content(key: "proxy variables", size: 500)

@Suite struct ProxyVariableTests {
  @Test(arguments: [
    "http://h:3128", "HTTP://h", "https://h:1", "socks4://h", "socks4a://h", "socks5://h:1080",
    "socks5h://u:p@h:1080/", "h:3128", "h", "u:p@h:3128", "http://u:p%40s%3A%2F@h:1",
    "[::1]:3128",
  ])
  func aUsableOneIsLeftAlone(_ value: String) {
    #expect(ProxyVariables.problem(value) == nil)
  }

  @Test(arguments: [
    "socks://h:1080", "pigeon://u:s3cr3t@h", "http://", "http://u:s3cr3t/x@h:1", "what is this",
    "http://h:99999", "http://u:s3cr3t%00@h", "s3cr3t@", "http://[s3cr3t", "ftp://u:s3cr3t@h",
    "http://u:s3cr3t@!@h:1",
  ])
  func anUnusableOneIsNamedWithoutItsValue(_ value: String) throws {
    let problem = try #require(ProxyVariables.problem(value))
    #expect(!problem.contains("s3cr3t") && !problem.contains("\n"))
  }

  @Test func anUnusableOneIsDroppedWithOneLineAndTheRestWorks() async {
    await #expect(processExitsWith: .success) {
      withServer { server in
        setenv("ALL_PROXY", "socks://127.0.0.1:1", 1)
        setenv("https_proxy", "http://u:s3cr3t/@127.0.0.1:1", 1)
        setenv("no_proxy", "other.example", 1)
        setenv("http_proxy", "", 1)
        let lines = ProxyVariables.dropUnusable()
        precondition(lines.count == 2)
        precondition(lines[0].hasPrefix("https_proxy is ignored"))
        precondition(lines[1].hasPrefix("ALL_PROXY is ignored"))
        precondition(lines.allSatisfy { !$0.contains("s3cr3t") })
        precondition(ProxyVariables.dropUnusable().isEmpty)
        server.on("/f", .file(content))
        precondition(fetch(server.url("/f")).body == content.bytes)
      }
    }
  }
}
