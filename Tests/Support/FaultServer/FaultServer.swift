// SPDX-License-Identifier: Apache-2.0
//
// FaultServer: a blocking HTTP/1.1 server on 127.0.0.1 that misbehaves as it is told, path by
// path, and records what it was asked.
//
// Threads  one to accept, one a connection; `stop` ends them all and waits for them.

import Glibc
import Workers

/// The server of one test.
public final class FaultServer: Sendable {
  /// Chooses the behaviour for a request.
  public typealias Script = @Sendable (RecordedRequest) -> Behaviour

  private struct State {
    var scripts: [String: Script] = [:]
    var requests: [RecordedRequest] = []
    var turns: [String: Int] = [:]
    /// The answers under way, path by path, with the connection of each request.
    var active: [String: [Int: ClientSocket]] = [:]
    var peak = 0
    var sockets: [Int: ClientSocket] = [:]
    var connections = 0
    var threads = 1
    var valves: [Valve] = []
    var isStopping = false
  }

  /// The port it listens on.
  public let port: UInt16
  private let listener: Int32
  private let state = Monitor(State())

  /// Starts a server on a free port.
  public static func start() -> FaultServer {
    let server = FaultServer()
    startThread { server.acceptAll() }
    return server
  }

  private init() {
    (listener, port) = listenOnLoopback()
  }

  /// The URL of a target on this server, by address.
  public func url(_ target: String) -> String { "http://127.0.0.1:\(port)\(target)" }

  /// The same server under another host name, which is another origin.
  public func otherURL(_ target: String) -> String { "http://localhost:\(port)\(target)" }

  /// Sets how requests for a path are answered, from the next one on.
  public func on(_ path: String, _ behaviour: Behaviour) {
    on(path) { _ in behaviour }
  }

  /// Lets a closure choose for each request for a path.
  public func on(_ path: String, _ script: @escaping Script) {
    state.withLock { $0.scripts[path] = script }
  }

  /// All requests so far.
  public var requests: [RecordedRequest] { state.withLock { $0.requests } }

  /// The requests for one path so far.
  public func requests(_ path: String) -> [RecordedRequest] {
    requests.filter { $0.path == path }
  }

  /// The most answers that were under way at once.
  public var peak: Int { state.withLock { $0.peak } }

  /// How many connections were accepted.
  public var connectionCount: Int { state.withLock { $0.connections } }

  /// Waits until the requests satisfy the test; false after 60 s.
  public func wait(until test: ([RecordedRequest]) -> Bool) -> Bool {
    state.wait(for: .seconds(60)) { test($0.requests) ? true : nil } ?? false
  }

  /// Waits until a path has been asked so often; false after 60 s.
  public func waitForRequests(_ count: Int, _ path: String) -> Bool {
    wait { $0.filter { $0.path == path }.count >= count }
  }

  /// Ends all connections and threads and waits for them.
  public func stop() {
    let (sockets, valves) = state.withLock { state in
      if !state.isStopping { shutdown(listener, Int32(SHUT_RDWR)) }
      state.isStopping = true
      return (Array(state.sockets.values), state.valves)
    }
    for valve in valves { valve.open() }
    for socket in sockets { socket.interrupt() }
    let ended: Bool? = state.wait(for: .seconds(60)) { $0.threads == 0 ? true : nil }
    precondition(ended == true, "a thread of the fault server hangs")
  }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      if descriptor < 0 && errno == EINTR { continue }
      guard descriptor >= 0, let socket = register(descriptor) else {
        if descriptor >= 0 { close(descriptor) }
        break
      }
      startThread { self.serve(socket) }
    }
    close(listener)
    state.withLock { $0.threads -= 1 }
  }

  private func register(_ descriptor: Int32) -> ClientSocket? {
    state.withLock { state in
      guard !state.isStopping else { return nil }
      state.connections += 1
      state.threads += 1
      let socket = ClientSocket(descriptor, number: state.connections)
      state.sockets[socket.number] = socket
      return socket
    }
  }

  private func serve(_ socket: ClientSocket) {
    let socks = socket.greetSocks()
    while socket.isOpen, let head = socket.readHead() {
      let (request, script) = record(head, socket, socks)
      answer(request, script(request), socket)
    }
    socket.end()
    state.withLock { state in
      state.sockets[socket.number] = nil
      state.threads -= 1
    }
  }

  private func record(
    _ head: [UInt8],
    _ socket: ClientSocket,
    _ socks: SocksGreeting?
  ) -> (RecordedRequest, Script) {
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n").map(String.init)
    let parts = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false)
    let target = parts.count > 1 ? String(parts[1]) : ""
    let path = String(target.prefix { $0 != "?" })
    return state.withLock { state in
      state.turns[path, default: 0] += 1
      let request = RecordedRequest(
        number: state.requests.count + 1,
        turn: state.turns[path, default: 0],
        connection: socket.number,
        method: parts.first.map(String.init) ?? "",
        target: target,
        lines: Array(lines.dropFirst()),
        socks: socks
      )
      state.requests.append(request)
      return (request, state.scripts[path] ?? { _ in .status(404, body: "nothing here\n") })
    }
  }

  private func answer(_ request: RecordedRequest, _ chosen: Behaviour, _ socket: ClientSocket) {
    var behaviour = chosen
    let others = enter(request, behaviour, socket)
    defer { leave(request) }
    if let most = behaviour.concurrency, others >= most {
      if behaviour.overload == .reset { return socket.reset() }
      behaviour = .status(503, body: "too many\n")
    }
    guard let reply = behaviour.reply(to: request) else {
      if case .raw(let body) = behaviour.answer { body(request, socket) }
      return
    }
    note(request) { $0.status = reply.status }
    Sender(behaviour: behaviour, reply: reply, request: request, socket: socket) { sent in
      self.note(request) { $0.bytesSent = sent }
    }.send()
  }

  /// Counts an answer in; returns how many are under way on its path.
  ///
  /// Those whose client is gone do not count, whether their threads have noticed that or not.
  private func enter(
    _ request: RecordedRequest,
    _ behaviour: Behaviour,
    _ socket: ClientSocket
  ) -> Int {
    let valves = [behaviour.valve, behaviour.headValve].compactMap { $0 }
    let (others, isStopping) = state.withLock { state in
      let others = state.active[request.path, default: [:]].values.count { !$0.hasLeft }
      state.active[request.path, default: [:]][request.number] = socket
      state.peak = max(state.peak, state.active.values.map(\.count).reduce(0, +))
      state.valves += valves
      return (others, state.isStopping)
    }
    if isStopping { for valve in valves { valve.open() } }
    return others
  }

  private func leave(_ request: RecordedRequest) {
    note(request) { $0.hasEnded = true }
    state.withLock { $0.active[request.path]?[request.number] = nil }
  }

  private func note(_ request: RecordedRequest, _ change: (inout RecordedRequest) -> Void) {
    state.withLock { change(&$0.requests[request.number - 1]) }
  }
}
