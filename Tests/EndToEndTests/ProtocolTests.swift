// SPDX-License-Identifier: Apache-2.0
//
// `winch get` with servers that do not speak http: vsftpd and OpenSSH's sshd.

import FaultServer
import Glibc
import Testing
import Transfers

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
      let links = [ftp.url("over-ftp.iso"), ssh.url("over-ssh.iso")]
      // So slow that the files are not there before the second connection.
      let child = world.winch(["get", "-n", "4", "--limit-rate", "128K"] + links)
      let areSeveral = await eventually {
        ftp.server.connectionCount > 1 && ssh.server.connectionCount > 1
      }
      #expect(areSeveral, "\(child.error)")
      kill(child.id, SIGINT)
      #expect(try #require(await child.ended()).code == 3)
      let ending = try await world.get("-n", "4", links[0], links[1])
      #expect(ending.code == 0, "\(ending.error)")
      #expect(ending.error.contains("2 of 2 arrived"), "\(ending.error)")
      let areWhole = ["ftp", "ssh"].map { world.saved("over-\($0).iso") == content.bytes }
      #expect(areWhole == [true, true])
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

  @Test func `a file from ftp comes through a proxy over several connections`() async throws {
    let valve = Valve(bytes: 100_000)
    _ = world.serve("ftp://there.example/by-proxy.iso", content) { $0.valve = valve }
    world.environment["ftp_proxy"] = "http://u:s3cr3t@127.0.0.1:\(world.server.port)"
    let link = "ftp://ann:s3cret@there.example/by-proxy.iso"
    let child = world.winch(["get", "-n", "4", link])
    #expect(await eventually { world.server.requests.count > 1 }, "\(child.error)")
    valve.open()
    let ending = try #require(await child.ended())
    #expect(ending.code == 0, "\(ending.error)")
    let isWhole = world.saved("by-proxy.iso") == content.bytes
    #expect(isWhole)
    #expect(world.server.requests.contains { $0.range?.hasPrefix("bytes=0-") == false })
    let told = ending.error + ending.output + world.logs.joined(separator: " ")
    #expect(!told.contains("s3cr"), "\(told)")
  }

  @Test func `a directory over sftp fails at once with what helps`() async throws {
    try await withSSH { ssh in
      know(ssh.knownHost)
      let ending = try await world.get(ssh.directoryURL())
      #expect(ending.code == 1)
      #expect(ending.error.contains("add the name of a file in it"), "\(ending.error)")
      #expect(names(in: world.downloads).isEmpty)
    }
  }

  @Test(arguments: ["ftp", "sftp"])
  func `what is killed goes on where it was`(_ scheme: String) async throws {
    let ftp = VsftpdSite()
    defer { ftp.server.stop() }
    ftp.put("over-ftp.iso", content)
    try await withSSH { ssh in
      know(ssh.knownHost)
      let link = scheme == "ftp" ? ftp.url("over-ftp.iso") : ssh.url("over-ssh.iso")
      for _ in 0..<2 {
        // Most of a minute for the file over two connections: it is not complete when it is killed.
        let child = world.winch(["get", "-n", "4", "--limit-rate", "64K", link])
        let known = claimed
        #expect(await eventually { claimed > known }, "\(child.error)")
        kill(child.id, SIGKILL)
        #expect(try #require(await child.ended()).code == -SIGKILL)
      }
      try checkClaims("over-\(scheme == "ftp" ? "ftp" : "ssh").iso")
      let ending = try await world.get("-n", "4", link)
      #expect(ending.code == 0, "\(ending.error)")
      let isWhole = names(in: world.downloads).compactMap(world.saved) == [content.bytes]
      #expect(isWhole, "\(names(in: world.downloads))")
      #expect(!world.logs.contains { $0.hasPrefix("starting over") }, "\(world.logs)")
    }
  }

  /// How many bytes the session claims of the only file, as far as a copy can be read.
  private var claimed: Int64 { (try? world.remembered())?.first?.received.bytes ?? 0 }

  /// Checks that what the session claims of a file that is not complete is right.
  private func checkClaims(_ name: String) throws {
    let have = try #require(try world.remembered().first?.have)
    let saved = try #require(world.saved(name + ".part"))
    for range in have.ranges {
      let (lower, upper) = (Int(range.lower), Int(range.upper))
      let isRight = upper <= saved.count && saved[lower..<upper] == content.bytes[lower..<upper]
      #expect(isRight, "\(range) of \(have.ranges)")
    }
  }

  @Test(arguments: ["ftp://127.0.0.1/dir/", "sftp://127.0.0.1/dir/"])
  func `a directory is refused before anything is asked`(_ url: String) async throws {
    let ending = try await world.get(url)
    #expect(ending.error.contains("add the name of a file"), "\(ending.error)")
    #expect(ending.code != 0)
  }
}
