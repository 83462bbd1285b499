// SPDX-License-Identifier: Apache-2.0
//
// Tty: winch on a bare pseudo terminal, for tests about the very bytes that go over it.
//
// Owns     the master's descriptor and the process; both end with it.
// Never    answers what the program asks the terminal.

import CPty
import Glibc
import Testing

/// The program on a pseudo terminal whose other end is a test.
final class Tty {
  /// The number of the process.
  let id: pid_t
  private var master: Int32
  private var code: Int32?
  /// All bytes so far.
  private(set) var received: [UInt8] = []

  /// Starts winch with these arguments, perhaps by another program.
  init(
    _ world: World,
    _ arguments: [String],
    by starter: [String] = [],
    columns: Int = 80,
    rows: Int = 24
  ) {
    var id: pid_t = 0
    // A child of forkpty works where the tests work, so every path it gets is absolute.
    let command = starter + [World.program] + arguments
    master = withCStrings(command) { arguments in
      withCStrings(world.environment.map { "\($0)=\($1)" }) { variables in
        cpty_spawn(command[0], arguments, variables, Int32(rows), Int32(columns), &id)
      }
    }
    precondition(master >= 0, "no pseudo terminal")
    self.id = id
  }

  deinit {
    hangUp()
    guard code == nil else { return }
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }

  /// What has come so far, as text.
  var text: String { String(decoding: received, as: UTF8.self) }

  /// Whether these words have come so often.
  func has(_ words: String, times: Int) -> Bool {
    read()
    return text.count(of: words) >= times
  }

  /// Waits until these words have come in one piece, as they do where nothing stood before.
  func sees(_ words: String, at location: SourceLocation = #_sourceLocation) async throws {
    let isThere = await eventually {
      read()
      return text.contains(words)
    }
    guard !isThere else { return }
    Issue.record("“\(words)” never came, but \(text.debugDescription)", sourceLocation: location)
    throw NeverSeen()
  }

  /// Types bytes.
  func type(_ text: String) {
    let bytes = Array(text.utf8)
    precondition(write(master, bytes, bytes.count) == bytes.count, "the terminal takes no keys")
  }

  /// Takes what has come, until nothing more comes for a while.
  ///
  /// - Parameter milliseconds: How long nothing must come.
  /// - Returns: The bytes that came.
  @discardableResult
  func read(untilQuietFor milliseconds: Int32 = 0) -> [UInt8] {
    let before = received.count
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
    while poll(&ready, 1, milliseconds) > 0, ready.revents & Int16(POLLIN) != 0 {
      let count = Glibc.read(master, &buffer, buffer.count)
      guard count > 0 else { break }
      received += buffer[..<count]
    }
    return Array(received[before...])
  }

  /// Takes the terminal away.
  func hangUp() {
    guard master >= 0 else { return }
    close(master)
    master = -1
  }

  /// Waits for the end of the process; its exit code, or minus the number of the signal.
  func ended(within limit: Duration = patience) async -> Int32? {
    await eventually(within: limit) {
      if master >= 0 { read() }
      if code == nil {
        var code: Int32 = 0
        if cpty_ended(id, &code) == 1 { self.code = code }
      }
      return code
    }
  }
}
