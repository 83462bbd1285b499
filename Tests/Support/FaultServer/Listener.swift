// SPDX-License-Identifier: Apache-2.0
//
// A listening socket on a free port of 127.0.0.1, and connecting to one, for tests.

import Glibc

/// Listens on a free port of 127.0.0.1; traps when the system refuses.
public func listenOnLoopback(backlog: Int32 = 128) -> (descriptor: Int32, port: UInt16) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let (code, address) = withLoopback(port: 0) { address in
    bind(listener, address, size) | listen(listener, backlog)
      | getsockname(listener, address, &size)
  }
  precondition(code == 0, "cannot listen on 127.0.0.1")
  return (listener, UInt16(bigEndian: address.sin_port))
}

/// Begins to connect to a port of 127.0.0.1 without waiting for it; returns the socket.
public func beginConnecting(to port: UInt16) -> Int32 {
  let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
  let descriptor = socket(AF_INET, flags, 0)
  _ = withLoopback(port: port) { address in
    connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
  }
  return descriptor
}

/// The port that a socket was given.
public func portOfSocket(_ descriptor: Int32) -> UInt16 {
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let (_, address) = withLoopback(port: 0) { getsockname(descriptor, $0, &size) }
  return UInt16(bigEndian: address.sin_port)
}

/// Waits until one of the sockets is connected; false after 30 s.
public func waitUntilConnected(anyOf sockets: [Int32]) -> Bool {
  var all = sockets.map { pollfd(fd: $0, events: Int16(POLLOUT), revents: 0) }
  return poll(&all, nfds_t(all.count), 30_000) > 0
}

/// Connects to a port of 127.0.0.1; nil when nobody listens there.
func connectToLoopback(_ port: UInt16) -> Int32? {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | O_CLOEXEC, 0)
  let (code, _) = withLoopback(port: port) { address in
    connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
  }
  if code == 0 { return descriptor }
  close(descriptor)
  return nil
}

private func withLoopback(
  port: UInt16,
  _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
) -> (code: Int32, address: sockaddr_in) {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  let code = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
  }
  return (code, address)
}
