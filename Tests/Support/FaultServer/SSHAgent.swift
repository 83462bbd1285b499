// SPDX-License-Identifier: Apache-2.0
//
// SSHAgent: an ssh-agent of one test, which holds the key that its server lets in.

import Glibc

/// OpenSSH's ssh-agent.
public final class SSHAgent {
  /// The path of its socket.
  public let socket: String
  private let process: pid_t

  /// Starts it and hands it the key.
  public init(with site: SSHSite) {
    socket = "\(site.path)/agent"
    let command = ["/usr/bin/ssh-agent", "-D", "-a", socket]
    guard let process = spawn(command, -1, "\(site.path)/log") else {
      preconditionFailure("no ssh-agent")
    }
    self.process = process
    while !Self.listens(socket) { usleep(1000) }
    run(
      ["/usr/bin/ssh-add", site.keyFile()],
      log: "\(site.path)/log",
      variable: "SSH_AUTH_SOCK=\(socket)"
    )
  }

  /// Whether somebody can be reached there; the socket has its name before it can.
  private static func listens(_ path: String) -> Bool {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, size) == 0
      }
    }
  }

  /// Ends it.
  public func stop() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
