// SPDX-License-Identifier: Apache-2.0
//
// SocksGreeting: how a client of a SOCKS5 proxy begins, and the server's side of it.
//
// After it the same connection is served as if the host that was asked for had been reached.

/// Whom a client wanted to reach through a SOCKS proxy, and with which login.
public struct SocksGreeting: Sendable, Equatable {
  /// The host as sent: a name when the proxy shall resolve it.
  public let host: String
  /// The port.
  public let port: Int
  /// The user name; empty without a login.
  public let user: String
  /// The password; empty without a login.
  public let password: String
}

extension ClientSocket {
  /// Plays a SOCKS5 proxy when the client begins like that (RFC 1928, RFC 1929).
  ///
  /// - Returns: What the client asked for; nil when it speaks something else.
  func greetSocks() -> SocksGreeting? {
    guard peek() == 5, let head = read(2), let methods = read(Int(head[1])) else { return nil }
    let wantsLogin = methods.contains(2)
    send([5, wantsLogin ? 2 : 0])
    var login = ("", "")
    if wantsLogin {
      guard read(1) != nil, let user = readText(), let password = readText() else { return nil }
      login = (user, password)
      send([1, 0])
    }
    guard let command = read(4), let host = readHost(kind: command[3]), let port = read(2) else {
      return nil
    }
    send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    return SocksGreeting(
      host: host,
      port: Int(port[0]) << 8 | Int(port[1]),
      user: login.0,
      password: login.1
    )
  }

  private func readHost(kind: UInt8) -> String? {
    if kind == 3 { return readText() }
    return read(kind == 1 ? 4 : 16)?.map(String.init).joined(separator: ".")
  }

  private func readText() -> String? {
    guard let length = read(1), let text = read(Int(length[0])) else { return nil }
    return String(decoding: text, as: UTF8.self)
  }
}
