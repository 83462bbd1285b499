// SPDX-License-Identifier: Apache-2.0
//
// Tmux: a real terminal with a shell in it, driven and looked at by tmux.
//
// Owns     a tmux server of its own, which ends with it.
// Never    waits for a time: it looks again until the screen shows what is waited for.

import Glibc
import Testing

/// A terminal with a shell.
final class Tmux {
  private let world: World
  private let socket: String

  /// Whether tmux is there; `scripts/packages test` installs it.
  static let isInstalled = access("/usr/bin/tmux", X_OK) == 0

  /// Opens a terminal with a shell at its prompt.
  init(_ world: World, columns: Int = 80, rows: Int = 24) async throws {
    self.world = world
    socket = "\(world.path)/\(world.number("tmux"))"
    var environment = world.environment
    environment["PS1"] = "prompt> "
    let settings = ["default-terminal tmux-256color", "status off", "escape-time 0"]
    writeFile("\(world.path)/tmux.conf", Array(settings.map { "set -g \($0)\n" }.joined().utf8))
    let size = ["-x", "\(columns)", "-y", "\(rows)"]
    let shell = ["env"] + environment.map { "\($0)=\($1)" }.filter { !$0.hasPrefix("TERM=") }
    try await run(["new-session", "-d"] + size + shell + ["/bin/sh"])
    try await run(["set", "-g", "window-size", "manual"])
    try await sees("prompt>")
  }

  /// Opens a terminal and starts winch in it, which then has its screen open.
  convenience init(
    _ world: World,
    columns: Int = 80,
    rows: Int = 24,
    winch arguments: String...,
    showing words: String
  ) async throws {
    try await self.init(world, columns: columns, rows: rows)
    try await winch(arguments, showing: words)
  }

  deinit {
    let killer = world.start(command(["kill-server"]))
    waitpid(killer.id, nil, 0)
  }

  /// Types a command line that starts winch, and waits for words on its screen.
  func winch(_ arguments: [String], showing words: String) async throws {
    try await type(World.program, arguments.map { "'\($0)'" })
    try await sees(words)
  }

  /// Types words as a command line.
  func type(_ words: String, _ more: [String] = []) async throws {
    try await write(([words] + more).joined(separator: " "))
    try await press("Enter")
  }

  /// Types text without Enter.
  func write(_ text: String) async throws {
    try await run(["send-keys", "-l", text])
  }

  /// Presses keys by the names tmux has for them.
  func press(_ keys: String...) async throws {
    try await run(["send-keys"] + keys)
  }

  /// Pastes text, between brackets if the program asked for them.
  func paste(_ text: String, bracketed: Bool) async throws {
    writeFile("\(world.path)/buffer", Array(text.utf8))
    try await run(["load-buffer", "\(world.path)/buffer"])
    try await run(["paste-buffer"] + (bracketed ? ["-p"] : []))
  }

  /// Gives the terminal another size.
  func resize(columns: Int, rows: Int) async throws {
    try await run(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
  }

  /// Looks at the terminal from another one of this size, whose size it takes; it is left when the
  /// other one hangs up.
  func attach(columns: Int, rows: Int) async throws -> Tty {
    try await run(["set", "-g", "window-size", "latest"])
    let client = "exec /usr/bin/tmux -S '\(socket)' attach"
    return Tty(world, [], by: ["/bin/sh", "-c", client, "sh"], columns: columns, rows: rows)
  }

  /// The lines on the screen, without blanks at their ends.
  func lines() async throws -> [String] {
    try await run(["capture-pane", "-p"]).split(
      separator: "\n",
      omittingEmptySubsequences: false
    ).map(String.init)
  }

  /// Waits until the screen satisfies a test, and gives its lines.
  @discardableResult
  func shows(
    _ what: String,
    at location: SourceLocation = #_sourceLocation,
    _ test: ([String]) -> Bool
  ) async throws -> [String] {
    let deadline = ContinuousClock.now + patience
    var lines: [String] = []
    repeat {
      lines = try await self.lines()
      if test(lines) { return lines }
      await moment()
    } while ContinuousClock.now < deadline
    let screen = lines.joined(separator: "\n")
    Issue.record("never saw \(what) on:\n\(screen)", sourceLocation: location)
    throw NeverSeen()
  }

  /// Waits until all these words stand on the screen at once, each on any line.
  @discardableResult
  func sees(
    _ words: String...,
    at location: SourceLocation = #_sourceLocation
  ) async throws
    -> [String]
  {
    try await shows("“\(words.joined(separator: "”, “"))”", at: location) { lines in
      words.allSatisfy { word in lines.contains { $0.contains(word) } }
    }
  }

  /// Waits until words are gone from the screen.
  @discardableResult
  func losesSight(
    of words: String,
    at location: SourceLocation = #_sourceLocation
  ) async throws
    -> [String]
  {
    try await shows("no “\(words)”", at: location) { !$0.contains { $0.contains(words) } }
  }

  /// What tmux says about the terminal, in its format language.
  func fact(_ format: String) async throws -> String {
    try await run(["display-message", "-p", format]).filter { $0 != "\n" }
  }

  /// Waits until a fact about the terminal is what it should be.
  func turns(
    _ format: String,
    _ value: String,
    at location: SourceLocation = #_sourceLocation
  ) async throws {
    let deadline = ContinuousClock.now + patience
    var found = ""
    repeat {
      found = try await fact(format)
      if found == value { return }
      await moment()
    } while ContinuousClock.now < deadline
    Issue.record("\(format) is \(found), never \(value)", sourceLocation: location)
    throw NeverSeen()
  }

  /// The number of the program that the shell runs now.
  func program() async throws -> pid_t {
    let shell = try await fact("#{pane_pid}")
    let children = text("/proc/\(shell)/task/\(shell)/children").split(separator: " ")
    return try #require(children.first.flatMap { pid_t($0) }, "the shell runs nothing")
  }

  @discardableResult
  private func run(_ arguments: [String]) async throws -> String {
    let ending = try #require(await world.start(command(arguments)).ended(), "tmux hangs")
    try #require(ending.code == 0, "tmux \(arguments): \(ending.error)")
    return ending.output
  }

  private func command(_ arguments: [String]) -> [String] {
    ["/usr/bin/tmux", "-S", socket, "-f", "\(world.path)/tmux.conf"] + arguments
  }
}

/// What was waited for did not come.
struct NeverSeen: Error {}
