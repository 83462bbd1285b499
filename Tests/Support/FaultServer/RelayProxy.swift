// SPDX-License-Identifier: Apache-2.0
//
// RelayProxy: a proxy that passes connections on, asked for by CONNECT or by SOCKS5.
//
// Whatever host is asked for, it is taken for this machine: a name that nobody knows shows that the
// proxy was left to resolve it.
//
// Threads  one to accept, two for each connection; `stop` ends them all and waits for them.
// Source   RFC 9110 section 9.3.6 (CONNECT), RFC 1928 and RFC 1929 (SOCKS5).

import Glibc
import Workers

/// A proxy of one test.
public final class RelayProxy: Sendable {
  /// One connection that a client asked for.
  public struct Passage: Sendable, Equatable {
    /// Whether by CONNECT; else by SOCKS5.
    public let isTunnel: Bool
    /// The host as sent.
    public let host: String
    /// The port.
    public let port: Int
    /// The login as it came: the value of Proxy-Authorization, or `user:password`; empty without one.
    public let login: String
  }

  private struct State {
    var passages: [Passage] = []
    var sockets: [ClientSocket] = []
    var threads = 1
    var isStopping = false
  }

  /// The port it listens on.
  public let port: UInt16
  private let listener: Int32
  private let refusal: String?
  private let state = Monitor(State())

  /// Starts a proxy on a free port.
  ///
  /// - Parameter refusal: What CONNECT is answered, head and body; nil to pass everything on.
  /// - Returns: The proxy, which listens already.
  public static func start(refusing refusal: String? = nil) -> RelayProxy {
    let proxy = RelayProxy(refusal)
    startThread { proxy.acceptAll() }
    return proxy
  }

  private init(_ refusal: String?) {
    self.refusal = refusal
    (listener, port) = listenOnLoopback()
  }

  /// What was asked for so far.
  public var passages: [Passage] { state.withLock { $0.passages } }

  /// Ends all connections and threads and waits for them.
  public func stop() {
    let sockets = state.withLock { state in
      if !state.isStopping { shutdown(listener, Int32(SHUT_RDWR)) }
      state.isStopping = true
      return state.sockets
    }
    for socket in sockets { socket.interrupt() }
    let ended: Bool? = state.wait(for: .seconds(60)) { $0.threads == 0 ? true : nil }
    precondition(ended == true, "a thread of the proxy hangs")
  }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      if descriptor < 0 && errno == EINTR { continue }
      guard descriptor >= 0, let client = hold(descriptor) else {
        if descriptor >= 0 { close(descriptor) }
        break
      }
      runThread { self.serve(client) }
    }
    close(listener)
    state.withLock { $0.threads -= 1 }
  }

  /// Takes a socket in, so that `stop` finds it; nil when it is too late.
  private func hold(_ descriptor: Int32) -> ClientSocket? {
    state.withLock { state in
      guard !state.isStopping else { return nil }
      let socket = ClientSocket(descriptor, number: state.sockets.count + 1)
      state.sockets.append(socket)
      return socket
    }
  }

  private func runThread(_ body: @escaping @Sendable () -> Void) {
    state.withLock { $0.threads += 1 }
    startThread {
      body()
      self.state.withLock { $0.threads -= 1 }
    }
  }

  private func serve(_ client: ClientSocket) {
    guard let passage = client.peek() == 5 ? greetSocks(client) : greetTunnel(client) else {
      return client.end()
    }
    state.withLock { $0.passages.append(passage) }
    if passage.isTunnel {
      client.send(refusal ?? "HTTP/1.1 200 go on\r\n\r\n")
      if refusal != nil { return client.end() }
    }
    guard let server = connectToLoopback(UInt16(passage.port)).flatMap(hold) else {
      return client.end()
    }
    runThread { Self.pass(from: server, to: client) }
    Self.pass(from: client, to: server)
  }

  private static func pass(from source: ClientSocket, to sink: ClientSocket) {
    while let bytes = source.receive(), sink.send(bytes) {}
    // The other thread may be reading from either, so that nothing is closed under it.
    source.interrupt()
    sink.interrupt()
  }

  private func greetSocks(_ client: ClientSocket) -> Passage? {
    client.greetSocks().map { asked in
      let login = asked.user.isEmpty ? "" : "\(asked.user):\(asked.password)"
      return Passage(isTunnel: false, host: asked.host, port: asked.port, login: login)
    }
  }

  private func greetTunnel(_ client: ClientSocket) -> Passage? {
    guard let head = client.readHead() else { return nil }
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = (lines.first ?? "").split(separator: " ")
    guard words.count == 3, words[0] == "CONNECT", let colon = words[1].lastIndex(of: ":"),
      let port = Int(words[1][words[1].index(after: colon)...])
    else { return nil }
    let name = "Proxy-Authorization: "
    let login = lines.first { $0.hasPrefix(name) }.map { String($0.dropFirst(name.count)) }
    let host = String(words[1][..<colon])
    return Passage(isTunnel: true, host: host, port: port, login: login ?? "")
  }
}
