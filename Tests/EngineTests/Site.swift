// SPDX-License-Identifier: Apache-2.0
//
// A site: an engine with real connections, a server that misbehaves, and a file that is served.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

let siteSize: Int64 = 4 * 1024 * 1024
let siteContent = Content(key: "served", size: siteSize)
let siteCut: Int64 = 1_500_000

/// An engine, a server, and the handles of the connections.
final class Site: Sendable {
  let server = FaultServer.start()
  let bench: Bench
  private let handles = HandleCache()

  init(jobs: Int = 4) throws {
    Curl.initialize()
    let handles = handles
    bench = try Bench(jobs: jobs, connect: { BlockingConnection(handles: handles) })
  }

  deinit {
    bench.shutDown()
    handles.close()
    server.stop()
  }

  /// Fetches a path to its end.
  func fetch(
    _ path: String = "/file",
    connections: Int = 1,
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferID {
    let id = start(path, connections: connections, change)
    _ = bench.pump(id)
    return id
  }

  func start(
    _ path: String = "/file",
    connections: Int = 1,
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferID {
    let url = server.url(path)
    let id = bench.engine.add([
      bench.request("/") {
        $0.mirrors = [link(url)]
        $0.connections = .fixed(connections)
        change(&$0)
      }
    ])[0]
    bench.engine.start([id])
    return id
  }

  /// Fetches the first bytes of a file, then pauses it.
  func begin(_ content: Content, _ change: (inout Behaviour) -> Void = { _ in }) -> TransferID {
    let valve = Valve(bytes: siteCut)
    server.on(
      "/file",
      .file(content) {
        change(&$0)
        $0.valve = valve
      }
    )
    let id = start()
    _ = bench.wait("the first bytes are sent") {
      server.requests("/file").last.map { $0.bytesSent == siteCut } == true
    }
    _ = bench.wait("some of them are written") { bench.engine.transfer(id)?.have.isEmpty == false }
    bench.engine.pause([id])
    _ = bench.waitPaused(id)
    return id
  }

  /// Goes on with what was begun.
  func resume(_ id: TransferID) {
    bench.engine.resume([id])
    _ = bench.pump(id)
  }

  func failure(_ id: TransferID) -> Failure? {
    if case .failed(let failure)? = bench.state(id) { failure } else { nil }
  }

  /// What is known of a transfer, for the report of a test that failed.
  func story(_ id: TransferID) -> String {
    let lines = server.requests.map { "\($0.range ?? "all") \($0.status) \($0.bytesSent)" }
    return "\(bench.engine.log(of: id).map(\.text)) \(lines)"
  }

  func isFinished(_ id: TransferID) -> Bool { bench.state(id)?.isFinished == true }
}
