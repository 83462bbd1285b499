// SPDX-License-Identifier: Apache-2.0
//
// Logins of ftp: where they come from, when TLS is asked for first, and that none is shown.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

private let content = Content(key: "ftp-login", size: 1000)

private func asBob(_ behaviour: inout FTPBehaviour) {
  behaviour.login = ("bob", "s3 cret")
}

@Suite struct FTPLoginTests {
  @Test func aLoginComesFromTheLinkAndTLSIsAskedForFirst() {
    withFTP(FTPBehaviour(content, asBob)) { server in
      #expect(fetch(server.url("/f", login: "bob:s3%20cret")).body == content.bytes)
      let verbs = server.commands.map(\.verb)
      #expect(verbs.first == "AUTH")
      #expect(verbs.drop { $0 == "AUTH" }.prefix(2) == ["USER", "PASS"])
      #expect(server.arguments("AUTH").first == "TLS")
    }
  }

  @Test func nobodyNeedsTLSToBeAnonymous() {
    withFTP(FTPBehaviour(content)) { server in
      #expect(fetch(server.url("/f")).body == content.bytes)
      #expect(server.arguments("AUTH").isEmpty)
    }
  }

  @Test func aWrongLoginIsNamedWithoutThePassword() {
    withFTP(FTPBehaviour(content, asBob)) { server in
      let failure = fetch(server.url("/f", login: "bob:wr0ng")).failure
      #expect(failure?.kind == .needsLogin)
      #expect(failure?.code == 530)
      #expect(failure?.detail == "the server answers 530 to the login")
    }
  }

  @Test func aLoginCannotHoldACommand() {
    #expect(throws: LinkError.badLogin) { try Link(parsing: "ftp://bob%0d%0aDELE%20x:y@h/f") }
  }

  @Test func netrcWorks() async {
    await #expect(processExitsWith: .success) {
      let netrc = PrivateFile(".netrc", "machine 127.0.0.1 login bob password \"s3 cret\"\n")
      setenv("HOME", netrc.directory, 1)
      unsetenv("NETRC")
      withFTP(FTPBehaviour(content, asBob)) { server in
        precondition(fetch(server.url("/f")).body == content.bytes)
        precondition(server.arguments("AUTH").first == "TLS")
        precondition(server.arguments("USER") == ["bob"])
      }
      withExtendedLifetime(netrc) {}
    }
  }

  @Test func otherLoginsDoNotShareAConnection() {
    withFTP(FTPBehaviour(content)) { server in
      let connection = BlockingConnection(handles: HandleCache())
      for login in ["ann:a", "bob:b", "bob:b"] {
        #expect(fetch(server.url("/f", login: login), with: connection).body == content.bytes)
      }
      #expect(server.arguments("USER") == ["ann", "bob"])
    }
  }

  @Test func aRedirectFromHTTPGoesNowhere() {
    withFTP(FTPBehaviour(content)) { ftp in
      withServer { http in
        http.on("/a", .redirect(to: ftp.url("/f", login: "bob:secret")))
        let failure = fetch(http.url("/a")).failure
        #expect(failure?.kind == .redirectRefused)
        #expect(failure?.detail.contains("secret") == false)
        #expect(ftp.connectionCount == 0)
      }
    }
  }
}
