// SPDX-License-Identifier: Apache-2.0
//
// SSHAgent: an ssh-agent of one test, which holds the key that its server lets in.

import Glibc

/// OpenSSH's ssh-agent.
public final class SSHAgent {
  /// The path of its socket.
  public let socket: String
  private let process: pid_t
  /// What it writes comes here.
  private let words: Int32

  /// Starts it and hands it the key.
  public init(with site: SSHSite) {
    socket = "\(site.path)/agent"
    var ends: [Int32] = [-1, -1]
    precondition(pipe(&ends) == 0, "no pipe")
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    words = ends[0]
    let command = ["/usr/bin/ssh-agent", "-D", "-a", socket]
    guard let process = spawn(command, ends[1], "\(site.path)/log") else {
      preconditionFailure("no ssh-agent")
    }
    close(ends[1])
    self.process = process
    // It says where it is once it listens there (ssh-agent(1)).
    var look = pollfd(fd: words, events: Int16(POLLIN), revents: 0)
    precondition(poll(&look, 1, 30_000) == 1, "ssh-agent does not begin")
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
    close(words)
  }
}
