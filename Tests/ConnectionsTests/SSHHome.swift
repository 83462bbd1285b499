// SPDX-License-Identifier: Apache-2.0
//
// A test of sftp: OpenSSH's sshd, and a home directory of the client's.

import FaultServer
import Glibc

let sftpContent = Content(key: "sftp", size: 400_000)

/// Runs a test with a server and a home whose `.ssh` has these files.
func withSSH(
  _ files: (SSHSite) -> Files,
  takesPasswords: Bool = false,
  _ body: (SSHSite, PrivateHome) -> Void
) {
  let site = SSHSite(takesPasswords: takesPasswords)
  let home = PrivateHome(files(site))
  setenv("HOME", home.path, 1)
  unsetenv("NETRC")
  unsetenv("SSH_AUTH_SOCK")
  site.put("f", sftpContent)
  body(site, home)
  site.server.stop()
}

/// What lies in `.ssh`.
typealias Files = [(String, String)]

/// A home directory with an `.ssh`, for one test.
final class PrivateHome {
  let path: String

  init(_ files: Files) {
    var template = Array("/tmp/winch-connections-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no directory in /tmp") }
    path = String(cString: made)
    mkdir("\(path)/.ssh", 0o700)
    for (name, text) in files {
      let descriptor = open("\(path)/.ssh/\(name)", O_WRONLY | O_CREAT, 0o600)
      _ = write(descriptor, text, text.utf8.count)
      close(descriptor)
    }
  }

  deinit {
    for name in ["known_hosts", "id_ed25519", "id_ecdsa"] { unlink("\(path)/.ssh/\(name)") }
    rmdir("\(path)/.ssh")
    rmdir(path)
  }
}
