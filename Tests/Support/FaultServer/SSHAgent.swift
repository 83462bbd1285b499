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
    while access(socket, F_OK) != 0 { sched_yield() }
    run(
      ["/usr/bin/ssh-add", site.keyFile()],
      log: "\(site.path)/log",
      variable: "SSH_AUTH_SOCK=\(socket)"
    )
  }

  /// Ends it.
  public func stop() {
    kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }
}
