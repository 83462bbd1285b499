// SPDX-License-Identifier: Apache-2.0
//
// FTPServer: a blocking FTP server on 127.0.0.1 that misbehaves as it is told, and records what it
// was told to do.
//
// Threads  one to accept, one a control connection; `stop` ends them all and waits for them.
// Source   RFC 959, RFC 2428 (EPSV), RFC 3659 (SIZE, MDTM, REST).

import Glibc
import Workers

/// The FTP server of one test.
public final class FTPServer: Sendable {
  private struct State {
    var behaviour: FTPBehaviour
    var commands: [FTPCommand] = []
    var files = 0
    /// The control connections that were let in.
    var guests: Set<Int> = []
    var refused = 0
    var sent: Int64 = 0
    var sockets: [Int: ClientSocket] = [:]
    var listeners: Set<Int32> = []
    var valves: [Valve] = []
    var connections = 0
    var threads = 1
    var isStopping = false
  }

  /// The port it listens on.
  public let port: UInt16
  private let listener: Int32
  private let state: Monitor<State>

  /// Starts a server on a free port.
  public static func start(_ behaviour: FTPBehaviour) -> FTPServer {
    let server = FTPServer(behaviour)
    startThread { server.acceptAll() }
    return server
  }

  private init(_ behaviour: FTPBehaviour) {
    (listener, port) = listenOnLoopback()
    state = Monitor(State(behaviour: behaviour))
  }

  /// The URL of a path, with a login such as `bob:secret` in it if any is given.
  public func url(_ path: String, login: String? = nil) -> String {
    "ftp://\(login.map { "\($0)@" } ?? "")127.0.0.1:\(port)\(path)"
  }

  /// How it answers from now on.
  public var behaviour: FTPBehaviour {
    get { state.withLock { $0.behaviour } }
    set { state.withLock { $0.behaviour = newValue } }
  }

  /// All commands so far.
  public var commands: [FTPCommand] { state.withLock { $0.commands } }

  /// The arguments of one command, in the order they came.
  public func arguments(_ verb: String) -> [String] {
    commands.filter { $0.verb == verb }.map(\.argument)
  }

  /// How many control connections were accepted.
  public var connectionCount: Int { state.withLock { $0.connections } }

  /// How many of them were told that there are too many.
  public var refusedCount: Int { state.withLock { $0.refused } }

  /// Waits until so many bytes of files are sent; false after 60 s.
  public func waitUntilSent(_ bytes: Int64) -> Bool {
    state.wait(for: .seconds(60)) { $0.sent >= bytes ? true : nil } ?? false
  }

  /// Waits until a command came so often; false after 60 s.
  public func waitFor(_ verb: String, _ count: Int = 1) -> Bool {
    state.wait(for: .seconds(60)) { state in
      state.commands.filter { $0.verb == verb }.count >= count ? true : nil
    } ?? false
  }

  /// Ends all connections and threads and waits for them.
  public func stop() {
    let (sockets, valves) = state.withLock { state in
      if !state.isStopping { shutdown(listener, Int32(SHUT_RDWR)) }
      state.isStopping = true
      for listener in state.listeners { shutdown(listener, Int32(SHUT_RDWR)) }
      return (Array(state.sockets.values), state.valves)
    }
    for valve in valves { valve.open() }
    for socket in sockets { socket.interrupt() }
    let ended: Bool? = state.wait(for: .seconds(60)) { $0.threads == 0 ? true : nil }
    precondition(ended == true, "a thread of the FTP server hangs")
  }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      if descriptor < 0 && errno == EINTR { continue }
      guard descriptor >= 0, let socket = register(descriptor, isControl: true) else {
        if descriptor >= 0 { close(descriptor) }
        break
      }
      let isWelcome = letIn(socket)
      startThread { self.serve(socket, isWelcome: isWelcome) }
    }
    close(listener)
    state.withLock { $0.threads -= 1 }
  }

  private func register(_ descriptor: Int32, isControl: Bool) -> ClientSocket? {
    state.withLock { state in
      guard !state.isStopping else { return nil }
      state.connections += isControl ? 1 : 0
      state.threads += isControl ? 1 : 0
      let number = isControl ? state.connections : Int(descriptor) + 1_000_000
      let socket = ClientSocket(descriptor, number: number)
      state.sockets[number] = socket
      return socket
    }
  }

  /// Lets a connection in unless there are too many; those that the client has closed do not count,
  /// whether their threads have noticed that or not.
  private func letIn(_ socket: ClientSocket) -> Bool {
    state.withLock { state in
      let present = state.guests.count { state.sockets[$0]?.hasLeft == false }
      guard present < state.behaviour.most else {
        state.refused += 1
        return false
      }
      state.guests.insert(socket.number)
      return true
    }
  }

  private func serve(_ socket: ClientSocket, isWelcome: Bool) {
    if isWelcome {
      var session = FTPSession(server: self, socket: socket)
      session.serve()
    } else {
      socket.send("421 too many connections\r\n")
    }
    socket.end()
    state.withLock { state in
      state.guests.remove(socket.number)
      state.sockets[socket.number] = nil
      state.threads -= 1
    }
  }
}

// What a session does to the server.
extension FTPServer {
  func record(_ command: FTPCommand) {
    state.withLock { $0.commands.append(command) }
  }

  /// Counts a file in; the bytes to send of it at most.
  func beginFile() -> Int64 {
    state.withLock { state in
      state.files += 1
      if let valve = state.behaviour.valve { state.valves.append(valve) }
      guard let cut = state.behaviour.cut, state.files <= cut.files else { return .max }
      return cut.after
    }
  }

  func count(_ bytes: Int) {
    state.withLock { $0.sent += Int64(bytes) }
  }

  /// A listener for a data connection that `stop` ends.
  func listen() -> (descriptor: Int32, port: UInt16) {
    let listener = listenOnLoopback()
    state.withLock { state in
      state.listeners.insert(listener.descriptor)
      if state.isStopping { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
    }
    return listener
  }

  /// Takes the one connection that a listener is for.
  func acceptData(_ listener: Int32) -> ClientSocket? {
    defer { drop(listener) }
    let descriptor = accept(listener, nil, nil)
    guard descriptor >= 0 else { return nil }
    return register(descriptor, isControl: false)
  }

  /// Ends a data connection.
  func end(_ data: ClientSocket) {
    state.withLock { $0.sockets[data.number] = nil }
    data.end()
  }

  /// Closes a listener.
  func drop(_ listener: Int32) {
    state.withLock { state in
      state.listeners.remove(listener)
      close(listener)
    }
  }
}
