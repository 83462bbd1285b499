// SPDX-License-Identifier: Apache-2.0
//
// Files over SSH from OpenSSH's sshd. Each test runs in a process of its own, with a home of its own.

import Connections
import FaultServer
import Glibc
import Testing
import Transfers

private let content = sftpContent

/// What lets the user in.
private func ready(_ site: SSHSite) -> Files {
  [("known_hosts", site.knownHost), ("id_ed25519", site.key)]
}

private func unknown(_ site: SSHSite) -> Files { [("id_ed25519", site.key)] }

private func mistaken(_ site: SSHSite) -> Files {
  [("known_hosts", site.wrongHost), ("id_ed25519", site.key)]
}

private func withTwoKeys(_ site: SSHSite) -> Files {
  unknownToServer(site) + [("id_ecdsa", site.key)]
}

private func unknownToServer(_ site: SSHSite) -> Files {
  withoutKey(site) + [("id_ed25519", site.strangersKey)]
}

private func locked(_ site: SSHSite) -> Files {
  withoutKey(site) + [("id_ed25519", site.lockedKey)]
}

private func withoutKey(_ site: SSHSite) -> Files { [("known_hosts", site.knownHost)] }

@Suite struct SFTPTests {
  @Test func aFileArrivesWithItsSizeAndDate() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        let fetched = fetch(site.url("f")) { $0.range = .from(0) }
        precondition(fetched.body == content.bytes)
        precondition(fetched.head?.status == 206)
        precondition(fetched.head?.contentRange == .range(0...399_999, total: 400_000))
        precondition(fetched.head?.validators.lastModified?.hasSuffix(" GMT") == true)
      }
    }
  }

  @Test func aPartBeginsAndEndsWhereItShould() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        let fetched = fetch(site.url("f")) { $0.range = .part(ByteRange(1000, 300_000)) }
        precondition(fetched.body == content.bytes(1000..<300_000))
        precondition(fetched.head?.contentRange == .range(1000...399_999, total: 400_000))
      }
    }
  }

  @Test func whatIsNotThereIsTold() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        site.put("empty", Content(size: 0))
        let empty = fetch(site.url("empty")) { $0.range = .from(0) }
        precondition(empty.head?.contentLength == 0 && empty.report?.received == 0)
        precondition(fetch(site.url("none")).failure?.kind == .notFound)
        for start: Int64 in [400_000, 400_001] {
          let fetched = fetch(site.url("f"), { $0.range = .from(start) }, onHead: { _ in .reject })
          precondition(fetched.head?.status == 416 && fetched.body.isEmpty)
        }
      }
    }
  }

  @Test func aDirectoryIsToldToBeOne() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        for range in [RequestedRange.from(0), .part(ByteRange(100, 200))] {
          let fetched = fetch(site.directoryURL()) { $0.range = range }
          precondition(fetched.failure?.kind == .isDirectory)
          precondition(fetched.heads.isEmpty && fetched.body.isEmpty)
        }
      }
    }
  }

  @Test func aConnectionIsKept() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        let connection = BlockingConnection(handles: HandleCache())
        for _ in 1...3 { precondition(fetch(site.url("f"), with: connection).error == nil) }
        precondition(site.server.connectionCount == 1)
      }
    }
  }

  @Test func anUnknownHostIsRefusedWithTheRemedy() async {
    await #expect(processExitsWith: .success) {
      withSSH(unknown) { site, home in
        let failure = fetch(site.url("f")) { $0.trust = .anything }.failure
        precondition(failure?.kind == .hostUnknown)
        precondition(
          failure?.detail.contains("ssh-keyscan -p \(site.server.port) '127.0.0.1'") == true
        )
        precondition(access("\(home.path)/.ssh/known_hosts", F_OK) != 0)
      }
    }
  }

  @Test func aHostWithAnotherKeyIsRefused() async {
    await #expect(processExitsWith: .success) {
      withSSH(mistaken) { site, home in
        let failure = fetch(site.url("f")) { $0.trust = .anything }.failure
        precondition(failure?.kind == .hostKeyChanged)
        precondition(readFile("\(home.path)/.ssh/known_hosts") == site.wrongHost)
      }
    }
  }

  @Test func oneKeyAfterTheOtherIsOffered() async {
    await #expect(processExitsWith: .success) {
      withSSH(withTwoKeys) { site, _ in
        precondition(fetch(site.url("f")).body == content.bytes)
      }
    }
  }

  @Test func aLockedKeyIsLeftToTheAgent() async {
    await #expect(processExitsWith: .success) {
      withSSH(locked) { site, home in
        let failure = fetch(site.url("f")).failure
        precondition(failure?.kind == .needsLogin)
        let words = "\(home.path)/.ssh/id_ed25519 has a passphrase: use ssh-add"
        precondition(failure?.detail == "offered: ssh-agent, \(words)")
      }
    }
  }

  @Test func theAgentIsAsked() async {
    await #expect(processExitsWith: .success) {
      withSSH(withoutKey) { site, _ in
        let agent = SSHAgent(with: site)
        setenv("SSH_AUTH_SOCK", agent.socket, 1)
        precondition(fetch(site.url("f")).body == content.bytes)
        agent.stop()
      }
    }
  }

  @Test func aServerThatDiesIsALostConnection() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        let fetched = fetch(
          site.url("f"),
          { $0.receiveBuffer = 16384 },
          onChunk: { _ in
            site.server.killAll()
            return .taken(.max, pause: .milliseconds(1))
          }
        )
        precondition(fetched.failure?.kind == .connectionLost)
        precondition(fetched.body.count < content.size)
      }
    }
  }

  @Test func aCancelIsAtOnceAndConnectionsCloseWithoutAGoodbye() async {
    await #expect(processExitsWith: .success) {
      withSSH(ready) { site, _ in
        let handles = HandleCache()
        let connection = BlockingConnection(handles: handles)
        let arrived = Later<Bool>()
        let run = inBackground {
          fetch(
            site.url("f"),
            with: connection,
            onChunk: { _ in
              site.server.freezeAll()
              arrived.give(true)
              return .taken(.max, pause: .seconds(600))
            }
          )
        }
        precondition(arrived.wait() == true)
        connection.cancel()
        precondition(run.wait()?.error == .cancelled)
        handles.close()
      }
    }
  }
}
