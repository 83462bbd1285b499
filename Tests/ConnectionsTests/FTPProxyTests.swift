// SPDX-License-Identifier: Apache-2.0
//
// ftp, ftps and sftp through proxies: fetched by one that speaks http, passed on by CONNECT or SOCKS5.
// Each test runs in a process of its own, since the environment belongs to the whole process.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

private let content = Content(key: "ftp by proxy", size: 300_000)

/// Runs a test with a proxy that passes connections on.
private func withRelay(refusing refusal: String? = nil, _ body: (RelayProxy) -> Void) {
  let proxy = RelayProxy.start(refusing: refusal)
  defer { proxy.stop() }
  body(proxy)
}

private func withFTP(_ body: (FTPServer) -> Void) {
  let server = FTPServer.start(FTPBehaviour(content))
  defer { server.stop() }
  body(server)
}

/// Runs a test with vsftpd, which speaks TLS from the first byte on.
private func withFTPS(_ body: (VsftpdSite) -> Void) {
  let site = VsftpdSite(
    .always,
    certificate: TLSServer.path("good"),
    key: TLSServer.path("key")
  )
  defer { site.server.stop() }
  site.put("f", content)
  body(site)
}

@Suite struct FTPProxyTests {
  @Test func aProxyThatSpeaksHTTPFetchesAPart() async {
    await #expect(processExitsWith: .success) {
      withServer { proxy in
        setenv("ftp_proxy", "http://u:p%40s@127.0.0.1:\(proxy.port)", 1)
        proxy.on("ftp://there.example/f", .file(content))
        let fetched = fetch("ftp://ann:s3cret@there.example/f") { $0.range = .from(100_000) }
        precondition(fetched.body == content.bytes(100_000..<300_000))
        precondition(fetched.head?.contentRange == .range(100_000...299_999, total: 300_000))
        let asked = proxy.requests.first
        precondition(asked?.header("Proxy-Authorization") == "Basic dTpwQHM=")
        precondition(asked?.target == "ftp://there.example/f")
        precondition(asked?.header("Authorization") == "Basic YW5uOnMzY3JldA==")
      }
    }
  }

  @Test func aPageOfAProxyIsNoFile() async {
    await #expect(processExitsWith: .success) {
      withServer { proxy in
        setenv("ftp_proxy", "http://127.0.0.1:\(proxy.port)", 1)
        var page = Behaviour.status(200, body: "<html>pay here</html>")
        page.add("Content-Type: text/html; charset=utf-8")
        proxy.on("ftp://there.example/f", page)
        proxy.on("ftp://there.example/f.html", page)
        proxy.on("ftp://there.example/g", .redirect(to: "http://there.example/pay"))
        for path in ["f", "g"] {
          let fetched = fetch("ftp://there.example/\(path)") { $0.range = .from(0) }
          precondition(fetched.failure?.kind == .notTheFile)
          precondition(fetched.heads.isEmpty && fetched.body.isEmpty)
        }
        precondition(fetch("ftp://there.example/f.html").error == nil)
        precondition(fetch("ftp://there.example/none").head?.status == 404)
      }
    }
  }

  @Test func aSocksProxyPassesBothConnectionsOn() async {
    await #expect(processExitsWith: .success) {
      withRelay { proxy in
        withFTP { server in
          setenv("ALL_PROXY", "socks5h://u:p%40s@127.0.0.1:\(proxy.port)", 1)
          let url = "ftp://ann:s3cret@there.example:\(server.port)/f"
          let fetched = fetch(url) { $0.range = .from(1000) }
          precondition(fetched.body == content.bytes(1000..<300_000))
          precondition(server.arguments("REST") == ["1000"])
          precondition(proxy.passages.map(\.host) == ["there.example", "there.example"])
          precondition(proxy.passages.first?.port == Int(server.port))
          precondition(proxy.passages.allSatisfy { !$0.isTunnel && $0.login == "u:p@s" })
        }
      }
    }
  }

  @Test func whatIsEncryptedGoesThroughATunnel() async {
    await #expect(processExitsWith: .success) {
      withRelay { proxy in
        withFTPS { site in
          setenv("ftps_proxy", "http://u:p@127.0.0.1:\(proxy.port)", 1)
          let fetched = fetch(site.url("f", login: "anonymous:s3cret")) {
            $0.trust = .file(TLSServer.path("authority"))
            $0.range = .from(1000)
          }
          precondition(fetched.body == content.bytes(1000..<300_000))
          precondition(proxy.passages.map(\.host) == ["localhost", "localhost"])
          precondition(proxy.passages.allSatisfy { $0.isTunnel && $0.login == "Basic dTpw" })
        }
      }
    }
  }

  @Test(arguments: ["http", "socks5h"])
  func anSSHServerIsReachedThroughAProxy(_ kind: String) async {
    await #expect(processExitsWith: .success) { [kind] in
      withRelay { proxy in
        withSSH({ [("known_hosts", $0.knownHost), ("id_ed25519", $0.key)] }) { site, _ in
          setenv("ALL_PROXY", "\(kind)://127.0.0.1:\(proxy.port)", 1)
          precondition(fetch(site.url("f")).body == sftpContent.bytes)
          precondition(proxy.passages.map(\.port) == [Int(site.server.port)])
        }
      }
    }
  }

  @Test func aTunnelThatIsRefusedIsTheProxysFault() async {
    await #expect(processExitsWith: .success) {
      let page = "HTTP/1.1 403 No\r\nContent-Type: text/html\r\nContent-Length: 4\r\n\r\npay\n"
      withRelay(refusing: page) { proxy in
        setenv("ALL_PROXY", "http://u:s3cr3t@127.0.0.1:\(proxy.port)", 1)
        for url in ["ftps://there.example/f", "sftp://there.example/f"] {
          let fetched = fetch(url)
          precondition(fetched.failure?.kind == .proxyRefused)
          precondition(fetched.failure?.detail.contains("s3cr3t") == false)
          precondition(fetched.body.isEmpty)
        }
      }
    }
  }
}
