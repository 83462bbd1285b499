// SPDX-License-Identifier: Apache-2.0
//
// SSHLogin: the ways to log in to an SSH server, one connection each.
//
// Order    a password from the link or netrc, ssh-agent and the first key file go together; each
//          further key file is another try. libcurl takes one file at a time, and left alone it would
//          look for old kinds of keys only, and in the current directory too.
// Never    asks for a passphrase: such keys are left to ssh-agent.
// Source   CURLOPT_SSH_AUTH_TYPES, CURLOPT_SSH_PRIVATE_KEYFILE; ssh_config(5), IdentityFile.

internal import CCurl
internal import Transfers

/// One way to log in.
struct SSHLogin {
  /// Nil leaves the user to netrc.
  let user: String?
  let password: String?
  /// A private key without a passphrase.
  let key: String?
  /// The bits for CURLOPT_SSH_AUTH_TYPES.
  let types: UInt32

  /// All ways, at least one.
  static func ways(for link: Link) -> [SSHLogin] {
    let isInNetrc = link.login == nil && Home.netrcNames(link.origin.host)
    let user = link.login?.user ?? (isInNetrc ? nil : Home.user)
    let password = link.login?.password ?? ""
    let keys: [String?] = SSHKeys.inHome().usable
    return (keys.isEmpty ? [nil] : keys).map { key in
      let hasPassword = isInNetrc || !password.isEmpty
      var types = UInt32(CURLSSH_AUTH_AGENT)
      if key != nil { types |= UInt32(CURLSSH_AUTH_PUBLICKEY) }
      if hasPassword { types |= UInt32(CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD) }
      return SSHLogin(user: user, password: password, key: key, types: types)
    }
  }
}

/// The private keys that lie where OpenSSH looks for them.
struct SSHKeys {
  /// Paths of keys without a passphrase.
  private(set) var usable: [String] = []
  /// Paths of keys with one.
  private(set) var locked: [String] = []

  /// Looks into `~/.ssh`.
  static func inHome() -> SSHKeys {
    var keys = SSHKeys()
    for name in ["id_ed25519", "id_ecdsa", "id_rsa"] {
      let path = Home.path(".ssh/\(name)")
      let text = Home.text(of: path, atMost: 64 * 1024)
      guard text.contains("PRIVATE KEY") else { continue }
      if isLocked(text) { keys.locked.append(path) } else { keys.usable.append(path) }
    }
    return keys
  }

  /// What was tried, for people.
  var tried: String {
    let offered = ["ssh-agent"] + usable
    let left = locked.map { ", \($0) has a passphrase: use ssh-add" }.joined()
    return "offered: \(offered.joined(separator: ", "))\(left)"
  }

  /// Whether a key has a passphrase: PEM says so in words, OpenSSH's own form names a cipher at the
  /// beginning of its base64.
  private static func isLocked(_ text: String) -> Bool {
    if text.contains("ENCRYPTED") { return true }
    guard text.contains("BEGIN OPENSSH PRIVATE KEY") else { return false }
    return !text.contains("\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU")
  }
}
