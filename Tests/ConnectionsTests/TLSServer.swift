// SPDX-License-Identifier: Apache-2.0
//
// TLSServer: gives every request the same answer over TLS, then ends the connection.
//
// Threads  one of its own, which serves one client after the other until `stop`.

import CTLS
import FaultServer
import Glibc
import Synchronization

final class TLSServer: Sendable {
  /// How a connection ends.
  enum Ending { case closeNotify, cut }

  let port: UInt16
  private let listener: Int32
  private let asked = Atomic(0)
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
  var requestCount: Int { asked.load(ordering: .acquiring) }

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
    if ctls_read(tls, &request, Int32(request.count)) > 0 {
      asked.add(1, ordering: .releasing)
      let bytes = Array(answer.utf8)
      ctls_write(tls, bytes, Int32(bytes.count))
    }
    ctls_close(tls, ending == .closeNotify ? 1 : 0)
  }
}
