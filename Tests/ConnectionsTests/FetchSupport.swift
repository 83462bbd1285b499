// SPDX-License-Identifier: Apache-2.0
//
// What the tests of connections share: a server for the length of a test, one fetch with all that
// it gave, and a thread to fetch on.

import Connections
import Dispatch
import FaultServer
import Glibc
import Testing
import Transfers
import Workers

/// Runs a test against a server of its own.
func withServer(_ body: (FaultServer) throws -> Void) rethrows {
  let server = FaultServer.start()
  defer { server.stop() }
  try body(server)
}

/// All that one run gave.
struct Fetched: Sendable {
  var result: Result<ConnectionReport, ConnectionError>
  var body: [UInt8] = []
  var heads: [ResponseHead] = []

  var head: ResponseHead? { heads.first }
  var report: ConnectionReport? { try? result.get() }

  var error: ConnectionError? {
    switch result {
    case .success: nil
    case .failure(let error): error
    }
  }

  var failure: Failure? {
    if case .failure(let failure)? = error { failure } else { nil }
  }
}

/// Fetches a link on this thread.
func fetch(
  _ url: String,
  with connection: any Connection = BlockingConnection(handles: HandleCache()),
  _ change: (inout ConnectionRequest) -> Void = { _ in },
  onHead: (ResponseHead) -> HeadVerdict = { _ in .accept },
  onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict = { _ in .more }
) -> Fetched {
  var fetched = Fetched(result: .failure(.cancelled))
  do throws(ConnectionError) {
    let report = try connection.run(
      request(url, change),
      onHead: { head in
        fetched.heads.append(head)
        return onHead(head)
      },
      onChunk: { chunk in
        let verdict = onChunk(chunk)
        if case .taken(let count, _) = verdict {
          fetched.body.append(contentsOf: chunk.prefix(count))
        } else {
          fetched.body.append(contentsOf: chunk)
        }
        return verdict
      }
    )
    fetched.result = .success(report)
  } catch {
    fetched.result = .failure(error)
  }
  return fetched
}

func request(
  _ url: String,
  _ change: (inout ConnectionRequest) -> Void = { _ in }
) -> ConnectionRequest {
  guard let link = try? Link(parsing: url) else { preconditionFailure("not a link: \(url)") }
  var request = ConnectionRequest(link: link)
  change(&request)
  return request
}

/// A value that another thread will give.
final class Later<Value: Sendable>: Sendable {
  private let value = Monitor<Value?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  func give(_ value: Value) {
    self.value.withLock { $0 = value }
    arrived.signal()
  }

  /// Whether the value is still to come.
  var isOpen: Bool { value.withLock { $0 == nil } }

  /// The value, nil after 20 s.
  func wait() -> Value? {
    guard arrived.wait(timeout: .now() + 20) == .success else { return nil }
    return value.withLock { $0 }
  }
}

/// Runs the closure on a thread of its own.
func inBackground<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Later<Value> {
  let later = Later<Value>()
  let queue = DispatchQueue(label: "fetch")
  queue.async { later.give(body()) }
  return later
}

/// The text of a file, empty when it cannot be read.
func readFile(_ path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var text: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 65536)
  while true {
    let count = fread(&buffer, 1, buffer.count, file)
    guard count > 0 else { return String(decoding: text, as: UTF8.self) }
    text += buffer[..<count]
  }
}
