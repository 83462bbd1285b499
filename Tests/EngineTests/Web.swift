// SPDX-License-Identifier: Apache-2.0
//
// Web: servers without a network. A test says, request by request, what a connection brings; gates
// hold an exchange at a point until the test opens them.
//
// Threads  one monitor holds everything; connections block on it and are woken by `cancel`.

import Connections
import FaultServer
import Glibc
import Synchronization
import Testing
import Transfers
import Workers

/// How long is waited for what must happen; longer when the program runs under a sanitizer.
let deadline = Duration.seconds(getenv("TEST_PATIENCE").flatMap { atoi($0) } ?? 30)

/// One thing a connection does.
enum Act: Sendable {
  /// The head arrives.
  case head(Int, [ResponseField])
  /// Bytes of a file arrive, in chunks.
  case bytes(Content, Range<Int64>)
  /// A short text arrives.
  case text(String)
  /// Nothing happens until the gate of that name is opened.
  case hold(String)
  /// It breaks.
  case fail(Failure)
}

/// What was asked.
struct Asked: Sendable {
  let request: ConnectionRequest
  /// Its place among the requests for its path, from 1.
  let turn: Int

  var path: String { request.link.path }

  /// The first byte asked for.
  var start: Int64 {
    switch request.range {
    case .whole: 0
    case .from(let start): start
    case .part(let range): range.lower
    }
  }

  /// The bytes asked for, of a file of that size.
  func range(in size: Int64) -> Range<Int64> {
    switch request.range {
    case .whole: 0..<size
    case .from(let start): min(start, size)..<size
    case .part(let range): min(range.lower, size)..<min(range.upper, size)
    }
  }
}

/// All servers of a test.
final class Web: Sendable {
  typealias Script = @Sendable (Asked) -> [Act]

  private struct State {
    var script: Script = { _ in [.fail(Failure(.cannotConnect))] }
    var asked: [Asked] = []
    var gates: Set<String> = []
    var reached: Set<String> = []
    var cancelled: Set<Int> = []
    var traces: [Int: ConnectionTrace] = [:]
    var running = 0
    var connections = 0
  }

  private let state = Monitor(State())
  let chunk: Int
  /// What a connection does while a limit makes it pause.
  let onPause: @Sendable (Duration) -> Void

  init(chunk: Int = 64 * 1024, onPause: @escaping @Sendable (Duration) -> Void = { _ in }) {
    self.chunk = chunk
    self.onPause = onPause
  }

  /// Sets what is answered from now on.
  func answer(_ script: @escaping Script) {
    state.withLock { $0.script = script }
  }

  /// Lets exchanges pass a hold, now and later.
  func open(_ gate: String) {
    state.withLock { _ = $0.gates.insert(gate) }
  }

  /// Closes a gate again.
  func close(_ gate: String) {
    state.withLock { state in
      state.gates.remove(gate)
      state.reached.remove(gate)
    }
  }

  /// Waits until an exchange stands at a hold.
  func reaches(_ gate: String) -> Bool {
    state.wait(for: deadline) { $0.reached.contains(gate) ? true : nil } ?? false
  }

  /// Waits until so many requests have been made.
  func waitForRequests(_ count: Int) -> Bool {
    state.wait(for: deadline) { $0.asked.count >= count ? true : nil } ?? false
  }

  /// Waits until no exchange is under way.
  func waitUntilQuiet() -> Bool { waitUntilRunning(0) }

  /// Waits until so many exchanges are under way.
  func waitUntilRunning(_ count: Int) -> Bool {
    state.wait(for: deadline) { $0.running == count ? true : nil } ?? false
  }

  /// All requests so far.
  var asked: [Asked] { state.withLock { $0.asked } }

  /// How many exchanges are under way.
  var running: Int { state.withLock { $0.running } }

  /// Makes a connection.
  func connection() -> FakeConnection {
    let number = state.withLock { state in
      state.connections += 1
      return state.connections
    }
    return FakeConnection(web: self, number: number)
  }

  fileprivate func trace(of number: Int) -> ConnectionTrace? {
    state.withLock { $0.traces[number] }
  }

  fileprivate func note(_ number: Int, status: Int) {
    state.withLock { $0.traces[number] = ConnectionTrace(status: status, received: ByteCount(0)) }
  }

  fileprivate func note(_ number: Int, bytes: Int) {
    state.withLock { $0.traces[number]?.received += ByteCount(Int64(bytes)) }
  }

  fileprivate func cancel(_ number: Int) {
    state.withLock { _ = $0.cancelled.insert(number) }
  }

  fileprivate func isCancelled(_ number: Int) -> Bool {
    state.withLock { $0.cancelled.contains(number) }
  }

  fileprivate func begin(_ request: ConnectionRequest) -> [Act] {
    let (asked, script) = state.withLock { state -> (Asked, Script) in
      let turn = state.asked.filter { $0.path == request.link.path }.count + 1
      let asked = Asked(request: request, turn: turn)
      state.asked.append(asked)
      state.running += 1
      return (asked, state.script)
    }
    return script(asked)
  }

  fileprivate func end() {
    state.withLock { $0.running -= 1 }
  }

  /// Blocks at a gate; false when the connection was cancelled.
  fileprivate func pass(_ gate: String, _ number: Int) -> Bool {
    state.withLock { _ = $0.reached.insert(gate) }
    let passed = state.wait(for: .seconds(60)) { state -> Bool? in
      if state.cancelled.contains(number) { return false }
      return state.gates.contains(gate) ? true : nil
    }
    if passed == nil { Issue.record("the gate \(gate) was never opened") }
    return passed ?? false
  }
}

/// A connection of a `Web`.
struct FakeConnection: Connection {
  fileprivate let web: Web
  fileprivate let number: Int

  func cancel() {
    web.cancel(number)
  }

  var trace: ConnectionTrace? { web.trace(of: number) }

  func run(
    _ request: ConnectionRequest,
    onHead: (ResponseHead) -> HeadVerdict,
    onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict
  ) throws(ConnectionError) -> ConnectionReport {
    if web.isCancelled(number) { throw .cancelled }
    let acts = web.begin(request)
    defer { web.end() }
    var head: ResponseHead?
    for act in acts {
      if web.isCancelled(number) { throw .cancelled }
      switch act {
      case .head(let status, let fields):
        let told = ResponseHead(status: status, fields: fields, link: request.link)
        head = told
        web.note(number, status: status)
        if onHead(told) == .reject { throw .rejected }
      case .bytes(let content, let range):
        if try send(content, range, onChunk) { return report(head, request) }
      case .text(let text):
        if Array(text.utf8).withUnsafeBytes({ onChunk($0) }) == .stop { throw .stopped }
      case .hold(let gate):
        if !web.pass(gate, number) { throw .cancelled }
      case .fail(let failure):
        throw .failure(failure)
      }
    }
    return report(head, request)
  }

  /// Hands bytes over; true when enough came.
  private func send(
    _ content: Content,
    _ range: Range<Int64>,
    _ onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict
  ) throws(ConnectionError) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      if web.isCancelled(number) { throw .cancelled }
      let bytes = content.bytes(start..<min(range.upperBound, start + Int64(web.chunk)))
      switch bytes.withUnsafeBytes({ onChunk($0) }) {
      case .more:
        start += Int64(bytes.count)
        web.note(number, bytes: bytes.count)
      case .taken(let count, let pause):
        start += Int64(min(count, bytes.count))
        web.onPause(pause)
      case .enough: return true
      case .stop: throw .stopped
      }
    }
    return false
  }

  private func report(_ head: ResponseHead?, _ request: ConnectionRequest) -> ConnectionReport {
    let none = ResponseHead(status: 200, fields: [], link: request.link)
    return ConnectionReport(head: head ?? none, received: 0)
  }
}

/// How a well-behaved server answers.
struct Served: Sendable {
  var content: Content
  var hasRanges = true
  var hasLength = true
  var tag: String?
  var date: String?
  var fields: [ResponseField] = []

  init(_ content: Content) {
    self.content = content
    tag = Behaviour.tag(content)
  }

  /// The head for a request.
  func head(_ asked: Asked) -> Act {
    var all = fields
    if let tag { all.append(ResponseField("etag", tag)) }
    if let date { all.append(ResponseField("last-modified", date)) }
    let range = self.range(asked)
    guard isPart(asked) else {
      if hasLength { all.append(ResponseField("content-length", "\(content.size)")) }
      return .head(200, all)
    }
    guard !range.isEmpty else {
      return .head(416, all + [ResponseField("content-range", "bytes */\(content.size)")])
    }
    let span = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(content.size)"
    return .head(206, all + [ResponseField("content-range", span)])
  }

  /// The bytes of the answer.
  func range(_ asked: Asked) -> Range<Int64> {
    isPart(asked) ? asked.range(in: content.size) : 0..<content.size
  }

  private func isPart(_ asked: Asked) -> Bool {
    guard hasRanges, asked.request.range != .whole else { return false }
    guard let condition = asked.request.ifRange else { return true }
    return condition == tag || condition == date
  }

  /// The whole exchange.
  func whole(_ asked: Asked) -> [Act] {
    [head(asked), .bytes(content, range(asked))]
  }

  /// The exchange up to `count` bytes of its body, then a hold, then the rest.
  func held(_ asked: Asked, after count: Int64, at gate: String) -> [Act] {
    let all = range(asked)
    let middle = min(all.upperBound, all.lowerBound + count)
    return [
      head(asked), .bytes(content, all.lowerBound..<middle), .hold(gate),
      .bytes(content, middle..<all.upperBound),
    ]
  }

  /// The exchange up to `count` bytes of its body, then a break.
  func cut(_ asked: Asked, after count: Int64, _ kind: FailureKind = .connectionLost) -> [Act] {
    let all = range(asked)
    let middle = min(all.upperBound, all.lowerBound + count)
    return [head(asked), .bytes(content, all.lowerBound..<middle), .fail(Failure(kind))]
  }
}
