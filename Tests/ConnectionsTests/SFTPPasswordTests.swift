// SPDX-License-Identifier: Apache-2.0
//
// Passwords for OpenSSH's sshd: out of the link or netrc, and only for a host whose key is known.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

/// The name of whoever runs the tests; sshd lets nobody else in.
private var user: String {
  getpwuid(geteuid()).flatMap { $0.pointee.pw_name }.map { String(cString: $0) } ?? ""
}

/// A login for a link, percent-encoded.
private func login(_ password: String) -> String {
  let encoded = password.utf8.map { byte in
    let digits = String(byte, radix: 16, uppercase: true)
    return "%" + (digits.count == 1 ? "0" : "") + digits
  }
  return "\(user):\(encoded.joined())"
}

private func known(_ site: SSHSite) -> Files { [("known_hosts", site.knownHost)] }
private func mistaken(_ site: SSHSite) -> Files { [("known_hosts", site.wrongHost)] }

@Suite struct SFTPPasswordTests {
  @Test func aPasswordOutOfTheLinkLogsIn() async {
    await #expect(processExitsWith: .success) {
      withSSH(known, takesPasswords: true) { site, _ in
        let url = site.url("f", login: login(SSHSite.password))
        precondition(fetch(url).body == sftpContent.bytes)
        precondition(site.log.contains("Accepted password for \(user)"))
      }
    }
  }

  @Test func aPasswordOutOfNetrcLogsIn() async {
    await #expect(processExitsWith: .success) {
      withSSH(known, takesPasswords: true) { site, _ in
        let line = "machine 127.0.0.1 login \(user) password \(SSHSite.password)\n"
        let netrc = PrivateFile("netrc", line)
        setenv("NETRC", netrc.path, 1)
        precondition(fetch(site.url("f")).body == sftpContent.bytes)
      }
    }
  }

  @Test func aWrongPasswordIsRefusedAndNotTold() async {
    await #expect(processExitsWith: .success) {
      withSSH(known, takesPasswords: true) { site, _ in
        let failure = fetch(site.url("f", login: login("mist@ken"))).failure
        precondition(failure?.kind == .needsLogin)
        precondition(failure?.advice.contains("login is wanted") == true)
        precondition(failure?.detail.contains("mist") == false)
        precondition(site.log.contains("Failed password for \(user)"))
      }
    }
  }

  @Test func noPasswordGoesToAHostWithAnotherKey() async {
    await #expect(processExitsWith: .success) {
      withSSH(mistaken, takesPasswords: true) { site, _ in
        let fetched = fetch(site.url("f", login: login(SSHSite.password))) { $0.trust = .anything }
        precondition(fetched.failure?.kind == .hostKeyChanged)
        precondition(site.server.connectionCount == 1)
        site.server.stop()
        precondition(!site.log.contains("password"))
      }
    }
  }
}
