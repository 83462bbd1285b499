// SPDX-License-Identifier: Apache-2.0
//
// Logins out of netrc. Each test runs in a process of its own, with a home of its own.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

private let content = Content(key: "netrc", size: 500)
private let ann = "Basic YW5uOnMzY3JldA=="  // ann:s3cret
private let eve = "Basic ZXZlOm90aGVy"  // eve:other
private let bob = "Basic Ym9iOmxpbms="  // bob:link

/// Runs a test with a server and with a home that has this netrc.
private func withNetrc(_ text: String, _ body: (FaultServer) -> Void) {
  let netrc = PrivateFile(".netrc", text)
  setenv("HOME", netrc.directory, 1)
  unsetenv("NETRC")
  withServer(body)
  withExtendedLifetime(netrc) {}
}

private let both = """
  machine 127.0.0.1 login ann password s3cret
  machine localhost login eve password other
  """

@Suite struct NetrcTests {
  @Test func aHostInNetrcGetsItsLogin() async {
    await #expect(processExitsWith: .success) {
      withNetrc(both) { server in
        server.on("/f", .file(content))
        precondition(fetch(server.url("/f")).body == content.bytes)
        precondition(server.requests.map { $0.header("Authorization") } == [ann])
      }
    }
  }

  @Test func theVariableNamesAnotherFile() async {
    await #expect(processExitsWith: .success) {
      withNetrc(both) { server in
        let other = PrivateFile("netrc", "machine 127.0.0.1 login eve password other\n")
        setenv("NETRC", other.path, 1)
        server.on("/f", .file(content))
        precondition(fetch(server.url("/f")).body == content.bytes)
        precondition(server.requests.map { $0.header("Authorization") } == [eve])
      }
    }
  }

  @Test func aHostThatIsNotThereGetsNone() async {
    await #expect(processExitsWith: .success) {
      for text in ["machine elsewhere.example login ann password s3cret", "", "machine"] {
        withNetrc(text) { server in
          server.on("/f", .file(content))
          precondition(fetch(server.url("/f")).body == content.bytes)
          precondition(server.requests.map { $0.header("Authorization") } == [nil])
        }
      }
    }
  }

  @Test func aBrokenNetrcIsNamedSoUnlessTheLinkHasALogin() async {
    await #expect(processExitsWith: .success) {
      withNetrc("machine 127.0.0.1 login ann password \"s3cret\n") { server in
        server.on("/f", .file(content))
        let failure = fetch(server.url("/f")).failure
        precondition(failure?.kind == .badNetrc)
        precondition(failure?.detail.contains("s3cret") == false)
        precondition(server.requests.isEmpty)
        let withLogin = "http://bob:link@127.0.0.1:\(server.port)/f"
        precondition(fetch(withLogin).body == content.bytes)
      }
    }
  }

  @Test func aLoginInTheLinkWins() async {
    await #expect(processExitsWith: .success) {
      withNetrc(both) { server in
        server.on("/f", .file(content))
        for login in ["bob:link", "bob"] {
          _ = fetch("http://\(login)@127.0.0.1:\(server.port)/f")
        }
        let sent = server.requests.map { $0.header("Authorization") }
        precondition(sent == [bob, "Basic Ym9iOg=="])
      }
    }
  }

  @Test func aGivenFieldWins() async {
    await #expect(processExitsWith: .success) {
      withNetrc(both) { server in
        server.on("/f", .file(content))
        _ = fetch(server.url("/f")) {
          $0.headers = [HeaderField(name: "Authorization", value: "Bearer x")].compactMap(\.self)
        }
        precondition(server.requests.map { $0.headers("Authorization") } == [["Bearer x"]])
      }
    }
  }

  @Test func eachHopIsAskedForAnew() async {
    await #expect(processExitsWith: .success) {
      withNetrc(both) { server in
        server.on("/a", .redirect(to: server.otherURL("/b")))
        server.on("/b", .redirect(to: server.url("/c")))
        server.on("/c", .file(content))
        precondition(fetch(server.url("/a")).body == content.bytes)
        precondition(server.requests.map { $0.header("Authorization") } == [ann, eve, ann])
        let withLogin = "http://bob:link@127.0.0.1:\(server.port)/a"
        precondition(fetch(withLogin).body == content.bytes)
        let sent = server.requests.dropFirst(3).map { $0.header("Authorization") }
        precondition(sent == [bob, eve, bob])
      }
    }
  }

  @Test func aForeignHopGetsNoLoginOfTheFirst() async {
    await #expect(processExitsWith: .success) {
      withNetrc("machine 127.0.0.1 login ann password s3cret\n") { server in
        server.on("/a", .redirect(to: server.otherURL("/b")))
        server.on("/b", .file(content))
        let handles = HandleCache()
        for _ in 1...2 {
          let connection = BlockingConnection(handles: handles)
          precondition(fetch(server.url("/a"), with: connection).body == content.bytes)
        }
        let sent = server.requests.map { $0.header("Authorization") }
        precondition(sent == [ann, nil, ann, nil])
      }
    }
  }
}
