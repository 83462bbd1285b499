// SPDX-License-Identifier: Apache-2.0
//
// A run that is cancelled ends at once and exactly once, whatever it is doing.
//
// All timeouts are far longer than the tests wait, so that only the cancel can have ended a run.

import Connections
import FaultServer
import Glibc
import Synchronization
import Testing
import Transfers

private let content = Content(key: "cancel", size: 400_000)

@Suite struct CancelTests {
  private let connection = BlockingConnection(handles: HandleCache())

  private func start(
    _ url: String,
    onChunk: @escaping @Sendable (UnsafeRawBufferPointer) -> ChunkVerdict = { _ in .more }
  ) -> Later<Fetched> {
    let connection = connection
    return inBackground { fetch(url, with: connection, patient, onChunk: onChunk) }
  }

  @Test func beforeTheRunNothingIsAsked() {
    withServer { server in
      server.on("/f", .file(content))
      connection.cancel()
      #expect(fetch(server.url("/f"), with: connection).error == .cancelled)
      #expect(server.connectionCount == 0)
    }
  }

  @Test func whileConnecting() {
    let hole = BlackHole()
    defer { hole.close() }
    let run = start("http://127.0.0.1:\(hole.port)/f")
    #expect(hole.waitForAttempt())
    connection.cancel()
    #expect(run.wait()?.error == .cancelled)
  }

  @Test func whileWaitingForTheHead() {
    withServer { server in
      server.on("/f", .file(content) { $0.headValve = Valve() })
      let run = start(server.url("/f"))
      #expect(server.waitForRequests(1, "/f"))
      connection.cancel()
      let fetched = run.wait()
      #expect(fetched?.error == .cancelled)
      #expect(fetched?.heads.isEmpty == true)
    }
  }

  @Test func duringTheBody() {
    withServer { server in
      server.on("/f", .file(content) { $0.valve = Valve(bytes: 100_000) })
      let arrived = Later<Bool>()
      let count = Atomic(0)
      let run = start(server.url("/f")) { chunk in
        let (_, total) = count.add(chunk.count, ordering: .relaxed)
        if total == 100_000 { arrived.give(true) }
        return .more
      }
      #expect(arrived.wait() == true)
      connection.cancel()
      let fetched = run.wait()
      #expect(fetched?.error == .cancelled)
      #expect(fetched?.body == content.bytes(0..<100_000))
    }
  }

  @Test func duringAPause() {
    withServer { server in
      server.on("/f", .file(content))
      let arrived = Later<Bool>()
      let run = start(server.url("/f")) { _ in
        arrived.give(true)
        return .taken(.max, pause: .seconds(600))
      }
      #expect(arrived.wait() == true)
      connection.cancel()
      #expect(run.wait()?.error == .cancelled)
    }
  }

  @Test func fromInsideACallback() {
    withServer { server in
      server.on("/f", .file(content))
      let connection = connection
      let fetched = start(server.url("/f")) { _ in
        connection.cancel()
        return .more
      }.wait()
      #expect(fetched?.error == .cancelled)
      #expect((fetched?.body.count ?? .max) <= 16 * 1024)
    }
  }

  @Test func afterTheEndItHoldsForTheNextRun() {
    withServer { server in
      server.on("/f", .file(content))
      #expect(fetch(server.url("/f"), with: connection).body == content.bytes)
      connection.cancel()
      connection.cancel()
      #expect(fetch(server.url("/f"), with: connection).error == .cancelled)
      #expect(server.requests.count == 1)
    }
  }

  @Test func atAnyMomentARunIsWholeOrCancelled() {
    withServer { server in
      server.on("/f", .file(content))
      let handles = HandleCache(limit: 4)
      var cancelled = 0
      for round in 0..<60 {
        let connection = BlockingConnection(handles: handles)
        let chunks = Atomic(0)
        let run = inBackground {
          fetch(
            server.url("/f"),
            with: connection,
            patient,
            onChunk: { _ in
              chunks.add(1, ordering: .relaxed)
              return .more
            }
          )
        }
        while chunks.load(ordering: .relaxed) < round % 25, run.isOpen { sched_yield() }
        connection.cancel()
        let fetched = run.wait()
        if fetched?.error == .cancelled { cancelled += 1 }
        #expect(fetched?.error == .cancelled || fetched?.body == content.bytes)
      }
      #expect(cancelled > 0)
    }
  }
}

private func patient(_ request: inout ConnectionRequest) {
  request.timeouts = Timeouts(
    connect: .seconds(600),
    firstByte: .seconds(600),
    silence: .seconds(600)
  )
}

/// A port where connecting neither succeeds nor fails: its queue is full.
final class BlackHole {
  let port: UInt16
  private let sockets: [Int32]
  /// The addresses of those that fill the queue, as /proc/net/tcp shows them.
  private let fillers: [String]

  init() {
    let listener = listenOnLoopback(backlog: 0)
    port = listener.port
    let waiting = (0..<4).map { _ in beginConnecting(to: listener.port) }
    sockets = [listener.descriptor] + waiting
    fillers = waiting.map { Self.shown(portOfSocket($0)) }
    // Then the queue is full; before it is, another could still come in.
    precondition(waitUntilConnected(anyOf: waiting), "nobody fills the queue")
  }

  func close() {
    for descriptor in sockets { Glibc.close(descriptor) }
  }

  /// Waits until a connection attempt beyond the fillers hangs (state 02 in /proc/net/tcp).
  func waitForAttempt() -> Bool {
    let end = ContinuousClock.now + .seconds(30)
    while ContinuousClock.now < end {
      if hasAttempt { return true }
      sched_yield()
    }
    return false
  }

  private var hasAttempt: Bool {
    let peer = " \(Self.shown(port)) 02 "
    return readFile("/proc/net/tcp").split(separator: "\n").contains { line in
      line.contains(peer) && !fillers.contains { line.contains(" \($0) ") }
    }
  }

  /// 127.0.0.1 with a port.
  private static func shown(_ port: UInt16) -> String {
    let digits = String(port, radix: 16, uppercase: true)
    return "0100007F:" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
