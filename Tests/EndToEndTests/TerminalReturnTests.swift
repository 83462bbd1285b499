// SPDX-License-Identifier: Apache-2.0
//
// The terminal is given back on every way out, as it was, and the shell goes on in it.

import FaultServer
import Glibc
import Testing

@Suite(.serialized, .enabled(if: Tmux.isInstalled, "tmux is missing: scripts/packages test"))
struct TerminalReturnTests {
  let world = World()

  /// Alternate screen, cursor, keypad and mouse as tmux has them while a shell is at its prompt.
  private static let modes = "#{alternate_on}#{cursor_flag}#{keypad_cursor_flag}#{mouse_any_flag}"

  /// A terminal with the screen open, and the settings it had before.
  private func opened() async throws -> (Tmux, before: String) {
    let tmux = try await Tmux(world)
    try await tmux.type("stty -g > \(world.path)/before; export PS1='again> '")
    try await tmux.sees("again>")
    let link = world.serve("/big.iso", Content(size: 4_000_000)) { $0.valve = Valve(bytes: 1000) }
    try await tmux.winch([link], showing: "1 active")
    try await tmux.turns(Self.modes, "1000")
    return (tmux, text("\(world.path)/before"))
  }

  /// Checks that the shell has its terminal back.
  private func expectReturned(_ tmux: Tmux, _ before: String) async throws {
    try await tmux.turns(Self.modes, "0100")
    let file = world.number("after")
    try await tmux.type("stty -g > \(world.path)/\(file); echo wri''tten \(file)")
    try await tmux.sees("written \(file)")
    #expect(text("\(world.path)/\(file)") == before && !before.isEmpty)
  }

  @Test(arguments: [["q", "y"], ["Q"], ["C-c", "C-c"], ["C-c", "y"]])
  func `keys give it back`(_ keys: [String]) async throws {
    let (tmux, before) = try await opened()
    try await tmux.press(keys[0])
    if keys.count > 1 {
      try await tmux.sees("1 download is running.")
      try await tmux.press(keys[1])
    }
    try await expectReturned(tmux, before)
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGSEGV, SIGABRT, SIGILL])
  func `signals and crashes give it back`(_ signal: Int32) async throws {
    let (tmux, before) = try await opened()
    kill(try await tmux.program(), signal)
    try await expectReturned(tmux, before)
  }

  /// Nobody can give it back then, but the next winch does; until then the shell's Enter is Ctrl-J.
  @Test func `after kill -9 the next start and end give it back`() async throws {
    let (tmux, _) = try await opened()
    kill(try await tmux.program(), SIGKILL)
    try await tmux.sees("again>")
    try await tmux.write("stty sane; echo re''ady")
    try await tmux.press("C-j")
    try await tmux.sees("ready")
    #expect(try await tmux.fact(Self.modes).hasPrefix("10"))
    try await tmux.winch([], showing: "1 active")
    try await tmux.press("Q")
    try await tmux.turns(Self.modes, "0100")
  }

  @Test func `an interrupt asks first, and the second one ends`() async throws {
    let (tmux, before) = try await opened()
    let id = try await tmux.program()
    kill(id, SIGINT)
    try await tmux.sees("1 download is running.")
    kill(id, SIGINT)
    try await expectReturned(tmux, before)
  }

  @Test func `after Ctrl-Z the shell is usable, and fg paints everything again`() async throws {
    let (tmux, before) = try await opened()
    try await tmux.press("C-z")
    try await expectReturned(tmux, before)
    try await tmux.type("fg")
    try await tmux.sees("1 active", "D  big.iso", "?Help")
    try await tmux.turns(Self.modes, "1000")
    try await tmux.press("Q")
    try await expectReturned(tmux, before)
  }

  @Test func `after Ctrl-Z and another size fg paints for that size`() async throws {
    let (tmux, before) = try await opened()
    try await tmux.press("C-z")
    try await expectReturned(tmux, before)
    try await tmux.resize(columns: 40, rows: 10)
    try await tmux.type("fg")
    try await tmux.shows("the list at 40x10") { lines in
      lines.first?.hasPrefix(" 1 act") == true && lines.contains { $0.hasPrefix(" ?Help") }
    }
    try await tmux.press("Q")
    try await expectReturned(tmux, before)
  }
}
