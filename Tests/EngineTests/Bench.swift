// SPDX-License-Identifier: Apache-2.0
//
// Bench: an engine in a scratch directory, with a clock of its own, for the length of a test.

import Connections
import FaultServer
import Glibc
import Storage
import Testing
import Transfers
import Workers

@testable import Engine

/// A clock that the test moves.
final class TestClock: Sendable {
  private let time = Monitor(Moment(nanoseconds: 1_000_000_000_000))
  private let seconds: Monitor<Int64>
  private let local: @Sendable (WallTime) -> LocalTime

  /// Makes a clock.
  ///
  /// - Parameters:
  ///   - wall: What the wall clock shows until the test moves it, in seconds.
  ///   - local: The time zone; UTC unless another is given.
  init(
    wall: Int64 = 1_700_000_000,
    local: @escaping @Sendable (WallTime) -> LocalTime = { LocalTime($0) }
  ) {
    seconds = Monitor(wall)
    self.local = local
  }

  func reach(wall: Int64) {
    seconds.withLock { $0 = wall }
  }

  var now: Moment { time.withLock { $0 } }

  func advance(_ duration: Duration) {
    time.withLock { $0 = $0 + duration }
  }

  func reach(_ moment: Moment) {
    time.withLock { $0 = max($0, moment) }
  }

  var clock: EngineClock {
    EngineClock(
      now: { [self] in now },
      wall: { [self] in WallTime(seconds: seconds.withLock { $0 }) },
      random: { 0.5 },
      local: local
    )
  }
}

/// A directory for one test.
final class Scratch: Sendable {
  let path: String

  init() {
    var template = Array("/tmp/winch-engine-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return "/nowhere" }
      return String(cString: base)
    }
    mkdir(path + "/files", 0o755)
  }

  deinit {
    removeTree(path)
  }

  var files: String { path + "/files" }
  var state: String { path + "/state" }

  /// The names of the downloaded files, sorted.
  var names: [String] { entries(files).sorted() }
}

private func entries(_ path: String) -> [String] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
      String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

private func removeTree(_ path: String) {
  for name in entries(path) { removeTree(path + "/" + name) }
  if remove(path) != 0 { unlink(path) }
}

/// The bytes of a file, nil when there is none.
func contents(_ path: String) -> [UInt8]? {
  let file = open(path, O_RDONLY)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var all: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 18)
  while true {
    let count = read(file, &buffer, buffer.count)
    guard count > 0 else { return all }
    all += buffer[..<count]
  }
}

func link(_ text: String) -> Link {
  guard let link = try? Link(parsing: text) else { preconditionFailure("not a link: \(text)") }
  return link
}

/// The digest of bytes.
func checksum(_ algorithm: ChecksumAlgorithm, of bytes: [UInt8]) -> Checksum {
  guard var digest = try? Digest(algorithm) else { preconditionFailure("no digest") }
  bytes.withUnsafeBytes { digest.update($0) }
  guard let made = Checksum(algorithm: algorithm, digest: digest.finish())
  else { preconditionFailure("a digest of the wrong length") }
  return made
}

/// An engine with all around it.
final class Bench: Sendable {
  let scratch: Scratch
  let web: Web
  let clock: TestClock
  let engine: TransferEngine
  private let changes: Monitor<Int>
  private let isOver = Monitor(false)
  /// What was told to the user.
  let told = Monitor<[String]>([])

  init(
    _ web: Web = Web(),
    in scratch: Scratch = Scratch(),
    clock: TestClock = TestClock(),
    jobs: Int = 4,
    rule: RetryRule = RetryRule(),
    quota: ByteCount? = nil,
    describe: @escaping @Sendable ([UInt8]) -> DescribedFiles = { _ in DescribedFiles() },
    connect: (@Sendable () -> any Connection)? = nil
  ) throws {
    self.scratch = scratch
    self.web = web
    self.clock = clock
    let changes = Monitor(0)
    self.changes = changes
    let told = told
    let settings = EngineSettings(
      jobs: jobs,
      quota: quota,
      rule: rule,
      clock: clock.clock,
      connect: connect ?? { web.connection() },
      decode: { CharacterSets.decode($0, from: $1) },
      describe: describe,
      changed: { _ in changes.withLock { $0 += 1 } },
      told: { line in told.withLock { $0.append(line) } },
      sessionTroubled: { Issue.record("the session cannot be written: \($0)") }
    )
    let session = try Session.open(directory: scratch.state)
    let contents = try session.contents()
    engine = try TransferEngine(session, contents: contents, settings: settings)
  }

  deinit {
    shutDown()
  }

  func shutDown() {
    let isFirst = isOver.withLock { over -> Bool in
      defer { over = true }
      return !over
    }
    if isFirst { engine.shutDown() }
  }

  func request(
    _ path: String,
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferRequest {
    var request = TransferRequest(
      mirrors: [link("http://one.test" + path)],
      directory: scratch.files
    )
    request.connections = .fixed(1)
    change(&request)
    return request
  }

  /// Adds and starts one transfer.
  @discardableResult
  func fetch(
    _ path: String,
    _ change: (inout TransferRequest) -> Void = { _ in }
  ) -> TransferID {
    let id = engine.add([request(path, change)])[0]
    engine.start([id])
    return id
  }

  func state(_ id: TransferID) -> TransferState? {
    engine.transfer(id)?.state
  }

  /// Whether a run is on.
  func isRunning(_ id: TransferID) -> Bool {
    engine.sample().contains { $0.id == id }
  }

  /// Waits, with the engine's own beat made faster, until something holds.
  func wait(_ words: String, until condition: () -> Bool) -> Bool {
    let end = ContinuousClock.now + deadline
    while ContinuousClock.now < end {
      let seen = changes.withLock { $0 }
      if condition() { return true }
      _ = changes.wait(for: .milliseconds(5)) { $0 != seen ? () : nil }
    }
    Issue.record("waited in vain until \(words)")
    return condition()
  }

  /// Waits until a transfer stands still in a state that passes the test.
  func waits(_ id: TransferID, for words: String, _ test: (TransferState) -> Bool) -> Bool {
    let isThere = wait(words) { state(id).map(test) == true && !isRunning(id) }
    if !isThere { Issue.record("\(story(id))") }
    return isThere
  }

  func waitFinished(_ id: TransferID) -> Bool {
    waits(id, for: "it is finished") { $0.isFinished }
  }

  /// Waits until it has failed; the failure.
  func waitFailed(_ id: TransferID) -> Failure? {
    _ = waits(id, for: "it has failed") { if case .failed = $0 { true } else { false } }
    guard case .failed(let failure)? = state(id) else { return nil }
    return failure
  }

  func waitPaused(_ id: TransferID) -> Bool {
    waits(id, for: "it is paused") { if case .paused = $0 { true } else { false } }
  }

  /// Waits for a pause between two tries.
  func waitForRetry(_ id: TransferID, attempt: Int? = nil) -> RetryWait? {
    _ = wait("it waits for its next try") { retryWait(id, attempt) != nil }
    return retryWait(id, attempt)
  }

  private func retryWait(_ id: TransferID, _ attempt: Int?) -> RetryWait? {
    guard case .waitingForRetry(let wait)? = state(id) else { return nil }
    return attempt == nil || wait.attempt == attempt ? wait : nil
  }

  /// Lets the time of a wait pass.
  func pass(_ wait: RetryWait) {
    clock.reach(wait.until)
    engine.tick()
  }

  /// Moves the clock over every pause until a transfer has ended.
  func pump(_ id: TransferID) -> Bool {
    let hasEnded = wait("it ends") {
      if case .waitingForRetry(let pause)? = state(id) { clock.reach(pause.until) }
      engine.tick()
      return state(id).map { $0.isEnded } == true && !isRunning(id)
    }
    if !hasEnded { Issue.record("\(story(id))") }
    return hasEnded
  }

  /// What is known of a transfer, for the report of a test that failed.
  private func story(_ id: TransferID) -> String {
    let state = state(id).map { "\($0)" } ?? "gone"
    return "\(state), \(engine.sample()), \(engine.log(of: id).map(\.text))"
  }

  /// The bytes of a downloaded file.
  func file(_ name: String) -> [UInt8]? {
    contents(scratch.files + "/" + name)
  }

  /// Whether a downloaded file is there and equal to that content.
  func holds(_ name: String, _ content: Content) -> Bool {
    file(name) == content.bytes
  }

  /// What the session holds after the engine is gone.
  func remembered() throws -> [Transfer] {
    shutDown()
    return try Session.open(directory: scratch.state).load()
  }
}

func truncateFile(_ path: String, to length: Int) {
  truncate(path, length)
}
