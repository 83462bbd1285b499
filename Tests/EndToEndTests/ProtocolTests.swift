// SPDX-License-Identifier: Apache-2.0
//
// `winch get` with servers that do not speak http: vsftpd and OpenSSH's sshd.

import FaultServer
import Glibc
import Testing

@Suite struct ProtocolTests {
  let world = World()
  private let content = Content(key: "protocols", size: 3_000_000)

  private func withSSH(_ body: (SSHSite) async throws -> Void) async throws {
    let site = SSHSite()
    site.put("over-ssh.iso", content)
    mkdir("\(world.path)/home/.ssh", 0o700)
    writeFile("\(world.path)/home/.ssh/id_ed25519", Array(site.key.utf8))
    try await body(site)
    site.server.stop()
  }

  private func know(_ line: String) {
    writeFile("\(world.path)/home/.ssh/known_hosts", Array(line.utf8))
  }

  @Test func `files from ftp and sftp arrive over several connections`() async throws {
    let ftp = VsftpdSite()
    defer { ftp.server.stop() }
    ftp.put("over-ftp.iso", content)
    try await withSSH { ssh in
      know(ssh.knownHost)
      let ending = try await world.get("-n", "4", ftp.url("over-ftp.iso"), ssh.url("over-ssh.iso"))
      #expect(ending.code == 0, "\(ending.error)")
      #expect(ending.error.contains("2 of 2 arrived"), "\(ending.error)")
      #expect(world.saved("over-ftp.iso") == content.bytes)
      #expect(world.saved("over-ssh.iso") == content.bytes)
      #expect(ssh.server.connectionCount > 1)
    }
  }

  @Test func `a host that is not known is refused with the remedy`() async throws {
    try await withSSH { ssh in
      let ending = try await world.get("-k", ssh.url("over-ssh.iso"))
      #expect(ending.code == 1)
      #expect(ending.error.contains("ssh-keyscan -p \(ssh.server.port)"), "\(ending.error)")
      know(ssh.wrongHost)
      let other = try await world.get("-k", ssh.url("over-ssh.iso"))
      #expect(other.code == 1)
      #expect(other.error.contains("host key differs"), "\(other.error)")
      #expect(names(in: world.downloads).isEmpty)
    }
  }

  @Test(arguments: ["ftp://127.0.0.1/dir/", "sftp://127.0.0.1/dir/"])
  func `a directory is refused before anything is asked`(_ url: String) async throws {
    let ending = try await world.get(url)
    #expect(ending.error.contains("add the name of a file"), "\(ending.error)")
    #expect(ending.code != 0)
  }
}
