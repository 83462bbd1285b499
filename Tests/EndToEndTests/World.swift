// SPDX-License-Identifier: Apache-2.0
//
// World: what one test has to itself: directories, an environment, a server, and the built program.
//
// Owns     a directory under /tmp that goes when the test is done with it, and the server.
// Never    lets the program see anything of the user who runs the tests.

import FaultServer
import Glibc
import Storage
import Testing
import Transfers

/// The private world of one test.
final class World {
  /// The directory of everything.
  let path: String
  /// The server.
  let server = FaultServer.start()
  /// The variables that programs get.
  var environment: [String: String]
  private var count = 0

  /// Where files are saved.
  var downloads: String { path + "/downloads" }
  /// Where the session is.
  var state: String { path + "/state/winch" }

  /// Makes a world.
  init() {
    var template = Array("/tmp/winch-test-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no directory in /tmp") }
    path = String(cString: made)
    for name in ["home", "state", "downloads"] { mkdir("\(path)/\(name)", 0o700) }
    environment = [
      "HOME": "\(path)/home",
      "XDG_STATE_HOME": "\(path)/state",
      "PATH": "/usr/local/bin:/usr/bin:/bin",
      "TZ": "UTC",
      "LANG": "C.UTF-8",
      "TERM": "xterm-256color",
      "SWIFT_BACKTRACE": "enable=no",
    ]
  }

  deinit {
    server.stop()
    let nothing = ["PATH": "/usr/bin:/bin"]
    let remover = Child(
      ["/bin/rm", "-rf", path],
      environment: nothing,
      directory: "/",
      files: "\(path)/remover"
    )
    waitpid(remover.id, nil, 0)
  }

  /// The built program, beside the tests.
  static let program = neighbour("winch")

  /// What was built beside the tests.
  static func neighbour(_ name: String) -> String {
    guard let path = realpath("/proc/self/exe", nil) else { preconditionFailure("no /proc") }
    defer { free(path) }
    let own = String(cString: path)
    return own[..<(own.lastIndex(of: "/") ?? own.startIndex)] + "/\(name)"
  }

  /// A name that has not been given before.
  func number(_ name: String) -> String {
    count += 1
    return "\(name)\(count)"
  }

  /// Starts any program in this world.
  func start(_ command: [String], input: [UInt8] = []) -> Child {
    Child(
      command,
      environment: environment,
      directory: downloads,
      files: "\(path)/\(number("run"))",
      input: input
    )
  }

  /// Starts the program with these arguments.
  func winch(_ arguments: [String], input: [UInt8] = []) -> Child {
    start([Self.program] + arguments, input: input)
  }

  /// Runs `winch get` to its end.
  func get(_ arguments: String..., input: [UInt8] = []) async throws -> Ending {
    try #require(await winch(["get"] + arguments, input: input).ended(), "winch get did not end")
  }

  /// What the session remembers; the session itself is left as it is.
  func remembered() throws -> [Transfer] { try contents().transfers }

  /// Everything in the session of a program that is gone, or that writes nothing just now.
  func contents() throws -> SessionContents {
    let files = names(in: state).filter { $0 != "lock" && $0 != "session.db-shm" }
    let contents = files.map { ($0, bytes("\(state)/\($0)") ?? []) }
    return try session(Dictionary(uniqueKeysWithValues: contents))
  }

  /// The lines of the logs in the session; none while a copy of it cannot be read.
  var logs: [String] { (try? contents())?.logs.values.flatMap { $0.map(\.text) } ?? [] }

  /// What a session with these files holds.
  func session(_ files: [String: [UInt8]]) throws -> SessionContents {
    let copy = "\(path)/copy"
    mkdir(copy, 0o700)
    for name in names(in: copy) { unlink("\(copy)/\(name)") }
    for (name, bytes) in files { writeFile("\(copy)/\(name)", bytes) }
    return try Session.open(directory: copy).contents()
  }

  /// The bytes of a saved file; nil if there is none.
  func saved(_ name: String) -> [UInt8]? { bytes("\(downloads)/\(name)") }

  /// Serves content under a path and gives its link.
  func serve(
    _ path: String,
    _ content: Content,
    _ fault: (inout Behaviour) -> Void = { _ in }
  )
    -> String
  {
    server.on(path, .file(content, fault))
    return server.url(path)
  }
}
