// SPDX-License-Identifier: Apache-2.0
//
// VsftpdSite and SSHSite: a directory of files served by vsftpd or OpenSSH's sshd.
//
// Owns     a directory under /tmp with the files, the settings and the keys, and the server.

import Glibc

/// A directory for one server.
final class ServedDirectory: Sendable {
  /// Its path.
  let path: String

  init() {
    var template = Array("/tmp/winch-served-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no directory in /tmp") }
    path = String(cString: made)
    chmod(path, 0o755)
    mkdir("\(path)/files", 0o755)
  }

  deinit {
    run(["/bin/rm", "-rf", path], log: "/dev/null")
  }

  /// Writes a file below the directory.
  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) {
    let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode)
    let count = bytes.isEmpty ? 0 : Glibc.write(file, bytes, bytes.count)
    precondition(file >= 0 && count == bytes.count, "cannot write \(path)/\(name)")
    close(file)
  }

  func write(_ name: String, _ text: String, mode: mode_t = 0o644) {
    write(name, Array(text.utf8), mode: mode)
  }

  /// The text of a file below the directory.
  func text(_ name: String) -> String {
    guard let file = fopen("\(path)/\(name)", "r") else { return "" }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes[..<count], as: UTF8.self)
  }
}

/// vsftpd, open for everybody.
public final class VsftpdSite: Sendable {
  /// How it speaks TLS.
  public enum Encryption: Sendable { case none, offered, always }

  /// The server.
  public let server: RealServer
  private let directory = ServedDirectory()
  private let scheme: String

  /// Starts it.
  ///
  /// - Parameters:
  ///   - encryption: How it speaks TLS; `always` from the first byte on.
  ///   - certificate: The path of the certificate for that.
  ///   - key: The path of its key.
  public init(
    _ encryption: Encryption = .none,
    certificate: String = "",
    key: String = ""
  ) {
    var settings = [
      "listen=NO", "run_as_launching_user=YES", "anonymous_enable=YES", "local_enable=NO",
      "seccomp_sandbox=NO", "xferlog_enable=NO", "anon_root=\(directory.path)/files",
    ]
    if encryption != .none {
      settings += [
        "ssl_enable=YES", "allow_anon_ssl=YES", "rsa_cert_file=\(certificate)",
        "rsa_private_key_file=\(key)", "force_anon_data_ssl=YES", "force_anon_logins_ssl=YES",
      ]
    }
    if encryption == .always { settings.append("implicit_ssl=YES") }
    directory.write("vsftpd.conf", settings.joined(separator: "\n") + "\n", mode: 0o600)
    scheme = encryption == .always ? "ftps" : "ftp"
    server = .start(
      ["/usr/sbin/vsftpd", "\(directory.path)/vsftpd.conf"],
      log: "\(directory.path)/log"
    )
  }

  /// Puts a file there.
  public func put(_ name: String, _ content: Content) {
    directory.write("files/\(name)", content.bytes)
  }

  /// The URL of a file.
  public func url(_ name: String, login: String? = nil) -> String {
    "\(scheme)://\(login.map { "\($0)@" } ?? "")localhost:\(server.port)/\(name)"
  }
}

/// OpenSSH's sshd, which lets the user who runs the tests in with a key, or with a password.
public final class SSHSite: Sendable {
  /// The password, where one is taken.
  public static let password = "p@ss:w/rd"
  /// Its hash (crypt(5)).
  private static let hash =
    "$6$winch$Q9HlripR4iHXPTr6zF14YGOhcAVcPhYUu0NOquPVnJHOz3wxO7adumuBQF6vGr3er7NPae/wRYXOeubx/yTW5."

  /// The server.
  public let server: RealServer
  private let directory = ServedDirectory()

  /// Starts it.
  ///
  /// - Parameter takesPasswords: Whether the password lets in too. The system's own passwords are
  ///   neither read nor changed: sshd is shown another one.
  public init(takesPasswords: Bool = false) {
    if geteuid() == 0 { mkdir("/run/sshd", 0o755) }
    let path = directory.path
    for key in ["host", "user", "other"] {
      run(
        ["/usr/bin/ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "\(path)/\(key)"],
        log: "\(path)/log"
      )
    }
    let settings = [
      "HostKey \(path)/host", "AuthorizedKeysFile \(path)/user.pub", "StrictModes no",
      "UsePAM no", "PidFile none", "ForceCommand internal-sftp", "Subsystem sftp internal-sftp",
      "PermitRootLogin yes", "PasswordAuthentication \(takesPasswords ? "yes" : "no")",
      "LogLevel VERBOSE",
    ]
    directory.write("sshd.conf", settings.joined(separator: "\n") + "\n")
    let shim = "LD_PRELOAD=\(neighbour("libLoginShim.so"))"
    let shown = takesPasswords ? ["/usr/bin/env", shim, "LOGIN_HASH=\(Self.hash)"] : []
    server = .start(
      shown + ["/usr/sbin/sshd", "-i", "-e", "-f", "\(path)/sshd.conf"],
      log: "\(path)/log"
    )
  }

  /// What sshd says of those who came.
  public var log: String { directory.text("log") }

  /// The URL of the directory of files, without a slash at its end.
  public func directoryURL(login: String? = nil) -> String {
    "sftp://\(login.map { "\($0)@" } ?? "")127.0.0.1:\(server.port)\(directory.path)/files"
  }

  /// Puts a file there.
  public func put(_ name: String, _ content: Content) {
    directory.write("files/\(name)", content.bytes)
  }

  /// The URL of a file, with a login such as `bob:secret` in it if any is given.
  public func url(_ name: String, login: String? = nil) -> String {
    "\(directoryURL(login: login))/\(name)"
  }

  /// The private key that is let in.
  public var key: String { directory.text("user") }

  /// A private key that is not.
  public var strangersKey: String { directory.text("other") }

  /// The key that is let in, locked with a passphrase.
  public var lockedKey: String {
    directory.write("locked", key, mode: 0o600)
    run(
      ["/usr/bin/ssh-keygen", "-q", "-p", "-N", "secret", "-f", "\(directory.path)/locked"],
      log: "/dev/null"
    )
    return directory.text("locked")
  }

  /// Writes the key that is let in to a file, and gives its path.
  func keyFile() -> String {
    directory.write("offered", key, mode: 0o600)
    return "\(directory.path)/offered"
  }

  /// The directory of keys and settings.
  var path: String { directory.path }

  /// The line of known_hosts that is right.
  public var knownHost: String { line("host") }

  /// One with another key.
  public var wrongHost: String { line("other") }

  private func line(_ key: String) -> String {
    let words = directory.text("\(key).pub").split(separator: " ").prefix(2)
    return "[127.0.0.1]:\(server.port) \(words.joined(separator: " "))\n"
  }
}
