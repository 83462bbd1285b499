// SPDX-License-Identifier: Apache-2.0
//
// RealServer: a server program as Debian ships it, one process for each connection.
//
// vsftpd and sshd can serve a connection that is handed to them as standard input, so the listener is
// ours: a free port is taken once and for all, and nothing has to be waited for.
//
// Threads  one to accept, one a process; `stop` kills the processes by their number and waits.
// Never    lets a descriptor of the test process through to a server.

import CPty
import Glibc
import Workers

/// A server that runs a program for each connection.
public final class RealServer: Sendable {
  private struct State {
    var processes: Set<pid_t> = []
    var connections = 0
    var threads = 1
    var isStopping = false
  }

  /// The port it listens on.
  public let port: UInt16
  private let listener: Int32
  private let command: [String]
  private let log: String
  private let state = Monitor(State())

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - command: The path of the program and its arguments.
  ///   - log: The path of the file that takes its standard error.
  /// - Returns: The server, which listens already.
  public static func start(_ command: [String], log: String) -> RealServer {
    let server = RealServer(command, log)
    startThread { server.acceptAll() }
    return server
  }

  private init(_ command: [String], _ log: String) {
    self.command = command
    self.log = log
    (listener, port) = listenOnLoopback()
  }

  /// How many connections were accepted.
  public var connectionCount: Int { state.withLock { $0.connections } }

  /// Kills the processes of all connections, as a server that goes down.
  public func killAll() {
    state.withLock { state in for process in state.processes { kill(process, SIGKILL) } }
  }

  /// Stops the processes of all connections, as a server that hangs.
  public func freezeAll() {
    state.withLock { state in for process in state.processes { kill(process, SIGSTOP) } }
  }

  /// Ends everything and waits for it.
  public func stop() {
    state.withLock { state in
      if !state.isStopping { shutdown(listener, Int32(SHUT_RDWR)) }
      state.isStopping = true
    }
    killAll()
    let ended: Bool? = state.wait(for: .seconds(60)) { $0.threads == 0 ? true : nil }
    precondition(ended == true, "a process of \(command[0]) hangs")
  }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 && errno == EINTR { continue }
      guard client >= 0 else { break }
      start(client)
      close(client)
    }
    close(listener)
    state.withLock { $0.threads -= 1 }
  }

  private func start(_ client: Int32) {
    state.withLock { state in
      guard !state.isStopping, let process = spawn(command, client, log) else { return }
      state.connections += 1
      state.threads += 1
      state.processes.insert(process)
      startThread { self.wait(for: process) }
    }
  }

  /// The number is forgotten before it is free for another process.
  private func wait(for process: pid_t) {
    var info = siginfo_t()
    waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT)
    state.withLock { state in
      state.processes.remove(process)
      waitpid(process, nil, 0)
      state.threads -= 1
    }
  }
}

/// What was built beside the tests.
func neighbour(_ name: String) -> String {
  guard let path = realpath("/proc/self/exe", nil) else { preconditionFailure("no /proc") }
  defer { free(path) }
  let own = String(cString: path)
  return own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/\(name)"
}

/// Runs a program to its end; traps when it fails.
func run(_ command: [String], log: String, variable: String? = nil) {
  var code: Int32 = -1
  guard let process = spawn(command, -1, log, variable) else {
    preconditionFailure("no \(command[0])")
  }
  waitpid(process, &code, 0)
  precondition(code == 0, "\(command[0]) failed, see \(log)")
}

/// Starts a program with a descriptor, or nothing, as input and output.
func spawn(
  _ command: [String],
  _ descriptor: Int32,
  _ log: String,
  _ variable: String? = nil
) -> pid_t? {
  var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
  var variables: [UnsafeMutablePointer<CChar>?] = [
    strdup("PATH=/usr/bin:/bin"), variable.map { strdup($0) }, nil,
  ]
  defer { for text in arguments + variables { free(text) } }
  let process = cpty_serve(&arguments, &variables, descriptor, log)
  return process > 0 ? process : nil
}
