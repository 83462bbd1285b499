// SPDX-License-Identifier: Apache-2.0
//
// The proxy variables of the environment. Each test runs in a process of its own, since the
// environment belongs to the whole process.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

private let content = Content(key: "proxies", size: 5000)

@Suite struct ProxyTests {
  @Test func aProxyIsAskedWithItsDecodedLogin() async {
    await #expect(processExitsWith: .success) {
      withServer { proxy in
        setenv("http_proxy", "http://u:p%40s%3A%2F@127.0.0.1:\(proxy.port)", 1)
        proxy.on("http://there.example/f", .file(content))
        precondition(fetch("http://there.example/f").body == content.bytes)
        let asked = proxy.requests.first
        precondition(asked?.header("Proxy-Authorization") == "Basic dTpwQHM6Lw==")
        precondition(asked?.header("Authorization") == nil)
      }
    }
  }

  @Test func aRefusalOfTheProxyIsNamedSo() async {
    await #expect(processExitsWith: .success) {
      withServer { proxy in
        setenv("http_proxy", "http://u:s3cr3t@127.0.0.1:\(proxy.port)", 1)
        setenv("https_proxy", "http://u:s3cr3t@127.0.0.1:\(proxy.port)", 1)
        proxy.on("http://there.example/f", .status(407))
        proxy.on("there.example:443", .status(407))
        for url in ["http://there.example/f", "https://there.example/f"] {
          let failure = fetch(url).failure
          precondition(failure?.kind == .proxyRefused)
          precondition(failure?.detail.contains("s3cr3t") == false)
        }
      }
    }
  }

  @Test func aKindOfProxyThatIsUnknownIsNamedSo() async {
    await #expect(processExitsWith: .success) {
      setenv("all_proxy", "pigeon://u:s3cr3t@127.0.0.1:1", 1)
      let failure = fetch("http://there.example/f").failure
      precondition(failure?.kind == .proxyRefused)
      precondition(failure?.detail.contains("s3cr3t") == false)
    }
  }

  @Test func aVariableThatCannotBeReadIsNotRepeated() async {
    await #expect(processExitsWith: .success) {
      setenv("all_proxy", "u:s3cr3t/@127.0.0.1:1", 1)
      let failure = fetch("http://there.example/f").failure
      precondition(failure?.kind == .proxyRefused)
      precondition(failure?.detail.contains("s3cr3t") == false)
    }
  }

  @Test func aSocksProxyResolvesTheHostAndGetsItsDecodedLogin() async {
    await #expect(processExitsWith: .success) {
      withServer { proxy in
        setenv("ALL_PROXY", "socks5h://u:p%40s%3A%2F@127.0.0.1:\(proxy.port)", 1)
        proxy.on("/f", .file(content))
        precondition(fetch("http://there.example:81/f").body == content.bytes)
        let socks = proxy.requests.first?.socks
        precondition(socks?.host == "there.example" && socks?.port == 81)
        precondition(socks?.user == "u" && socks?.password == "p@s:/")
        precondition(proxy.requests.first?.header("Authorization") == nil)
      }
    }
  }

  @Test func anExceptedHostIsAskedWithoutTheSocksProxy() async {
    await #expect(processExitsWith: .success) {
      withServer { server in
        setenv("ALL_PROXY", "socks5h://127.0.0.1:\(server.port)", 1)
        setenv("no_proxy", "127.0.0.1,.example", 1)
        server.on("/f", .file(content))
        precondition(fetch(server.url("/f")).body == content.bytes)
        precondition(server.requests.map(\.socks) == [nil])
      }
    }
  }

  @Test func exceptedHostsAreAskedDirectly() async {
    await #expect(processExitsWith: .success) {
      withServer { server in
        setenv("http_proxy", "http://127.0.0.1:1", 1)
        setenv("no_proxy", "127.0.0.1", 1)
        server.on("/f", .file(content))
        precondition(fetch(server.url("/f")).body == content.bytes)
      }
    }
  }
}
