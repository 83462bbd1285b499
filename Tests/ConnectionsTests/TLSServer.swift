// SPDX-License-Identifier: Apache-2.0
//
// TLSServer: gives every request the same answer over TLS, then ends the connection.
//
// Threads  one of its own, which serves one client after the other until `stop`.

import CTLS
import FaultServer
import Glibc
import Workers

final class TLSServer: Sendable {
  /// How a connection ends.
  enum Ending { case closeNotify, cut }

  let port: UInt16
  private let listener: Int32
  private let asked = Monitor<[String]>([])
  private let ended: Later<Bool>

  /// Serves with a certificate of Tests/Support/Certificates.
  init(_ certificate: String, answer: String, ending: Ending = .closeNotify) {
    let (listener, port) = listenOnLoopback()
    (self.listener, self.port) = (listener, port)
    ended = Later()
    _ = inBackground { [self] in
      while let client = next() { serve(client, certificate, answer, ending) }
      Glibc.close(listener)
      ended.give(true)
    }
  }

  /// How many requests came through TLS.
  var requestCount: Int { heads.count }

  /// What each request began with, which is all of a small one.
  var heads: [String] { asked.withLock { $0 } }

  func stop() {
    shutdown(listener, Int32(SHUT_RDWR))
    _ = ended.wait()
  }

  /// The path of a file in Tests/Support/Certificates.
  static func path(_ name: String) -> String {
    let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    return "/\(tests)/Support/Certificates/\(name).pem"
  }

  private func next() -> Int32? {
    let client = accept(listener, nil, nil)
    return client < 0 ? nil : client
  }

  private func serve(
    _ client: Int32,
    _ certificate: String,
    _ answer: String,
    _ ending: Ending
  ) {
    defer { Glibc.close(client) }
    guard let tls = ctls_accept(client, Self.path(certificate), Self.path("key")) else { return }
    var request = [UInt8](repeating: 0, count: 8192)
    let count = Int(ctls_read(tls, &request, Int32(request.count)))
    if count > 0 {
      let head = String(decoding: request[..<count], as: UTF8.self)
      asked.withLock { $0.append(head) }
      let bytes = Array(answer.utf8)
      ctls_write(tls, bytes, Int32(bytes.count))
    }
    ctls_close(tls, ending == .closeNotify ? 1 : 0)
  }
}
