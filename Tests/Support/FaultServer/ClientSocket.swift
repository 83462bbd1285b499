// SPDX-License-Identifier: Apache-2.0
//
// ClientSocket: the server's end of one TCP connection: reads requests, sends bytes, breaks.

import Glibc
import Workers

/// One accepted connection.
public final class ClientSocket: Sendable {
  private struct State {
    var isOpen = true
    var sent: Int64 = 0
    var unread: [UInt8] = []
  }

  /// The number of the connection, from 1.
  public let number: Int
  private let descriptor: Int32
  private let state = Monitor(State())

  init(_ descriptor: Int32, number: Int) {
    self.descriptor = descriptor
    self.number = number
    var on: Int32 = 1
    setsockopt(
      descriptor,
      Int32(IPPROTO_TCP),
      TCP_NODELAY,
      &on,
      socklen_t(MemoryLayout<Int32>.size)
    )
  }

  /// Whether neither side has broken it.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Bytes sent on it so far.
  var sent: Int64 { state.withLock { $0.sent } }

  /// Sends all bytes; false when the client is gone.
  @discardableResult
  public func send(_ bytes: [UInt8]) -> Bool {
    var done = 0
    while done < bytes.count, isOpen {
      let count = bytes[done...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return false }
      done += count
      state.withLock { $0.sent += Int64(count) }
    }
    return done == bytes.count
  }

  /// Sends a text.
  @discardableResult
  public func send(_ text: String) -> Bool {
    send(Array(text.utf8))
  }

  /// Ends the connection in the regular way.
  public func end() {
    close(reset: false)
  }

  /// Breaks the connection with RST.
  public func reset() {
    close(reset: true)
  }

  /// Breaks the connection as told.
  public func end(_ how: Behaviour.Break) {
    close(reset: how == .reset)
  }

  /// Wakes a thread that reads or sends.
  func interrupt() {
    state.withLock { if $0.isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) } }
  }

  /// Waits until the client closes its side; true when it did.
  public func waitForClient() -> Bool {
    readMore() == nil
  }

  /// POLLRDHUP (poll(2)), which Glibc's module hides.
  private static let peerLeft: Int16 = 0x2000

  /// Whether the client has closed its side, perhaps with bytes still to be read.
  var hasLeft: Bool {
    state.withLock { state in
      guard state.isOpen else { return true }
      var look = pollfd(fd: descriptor, events: Self.peerLeft, revents: 0)
      return poll(&look, 1, 0) > 0
    }
  }

  /// The bytes up to and with the next blank line, nil when the client is gone.
  func readHead() -> [UInt8]? {
    while true {
      let head = state.withLock { state -> [UInt8]? in
        guard let end = Self.endOfHead(state.unread) else { return nil }
        defer { state.unread.removeFirst(end) }
        return Array(state.unread[..<end])
      }
      if let head { return head }
      guard let more = readMore() else { return nil }
      state.withLock { $0.unread += more }
    }
  }

  /// The next byte without taking it, nil when the client is gone.
  func peek() -> UInt8? {
    fill(1) ? state.withLock { $0.unread.first } : nil
  }

  /// The next bytes, nil when the client leaves before.
  func read(_ count: Int) -> [UInt8]? {
    guard fill(count) else { return nil }
    return state.withLock { state in
      defer { state.unread.removeFirst(count) }
      return Array(state.unread[..<count])
    }
  }

  /// What has come, at least a byte; nil when the client is gone.
  func receive() -> [UInt8]? {
    let unread = state.withLock { state in
      defer { state.unread = [] }
      return state.unread
    }
    return unread.isEmpty ? readMore() : unread
  }

  private func fill(_ count: Int) -> Bool {
    while state.withLock({ $0.unread.count < count }) {
      guard let more = readMore() else { return false }
      state.withLock { $0.unread += more }
    }
    return true
  }

  private func readMore() -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 8192)
    while isOpen {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count < 0 && errno == EINTR { continue }
      return count > 0 ? Array(buffer[..<count]) : nil
    }
    return nil
  }

  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    guard bytes.count >= 4 else { return nil }
    let end = [13, 10, 13, 10] as [UInt8]
    return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual(end) }.map { $0 + 4 }
  }

  private func close(reset: Bool) {
    state.withLock { state in
      guard state.isOpen else { return }
      state.isOpen = false
      if reset {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout.size(ofValue: linger))
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
      }
      Glibc.close(descriptor)
    }
  }
}
