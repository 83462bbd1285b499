// SPDX-License-Identifier: Apache-2.0
//
// Plain lines on a terminal: one of them is updated where the cursor can move, none elsewhere.

import FaultServer
import Glibc
import Testing

@Suite struct PlainTerminalTests {
  let world = World()
  private let content = Content(size: 3_000_000)
  private let valve = Valve(bytes: 1_500_000)

  /// Starts a download of which one half comes.
  private func half(_ arguments: [String]) -> Tty {
    let link = world.serve("/big.iso", content) { $0.valve = valve }
    return Tty(world, arguments + ["-n", "1", "-d", world.downloads, link])
  }

  @Test func `on a terminal winch get updates a single line and leaves none behind`() async throws {
    let tty = half(["get"])
    try await tty.sees("\r")
    try await tty.sees("1 active, 50%")
    valve.open()
    #expect(await tty.ended() == 0)
    #expect(world.saved("big.iso") == content.bytes)
    let escapes = tty.text.split(separator: "\u{1B}").dropFirst()
    #expect(!escapes.isEmpty && escapes.allSatisfy { $0.hasPrefix("[K") }, "only erasing")
    // On a slow machine the half may stand so long that it is called stalled, and tried again.
    let lines = tty.text.replacing("\r\n", with: "\n").split(separator: "\n")
    let shown = lines.map { $0.split(separator: "\u{1B}[K").last ?? "" }
    #expect(shown.allSatisfy { !$0.contains("1 active") }, "\(lines)")
    #expect(shown.first?.contains("start   big.iso") == true)
    #expect(shown.last?.contains("done    big.iso") == true)
  }

  @Test func `what is told in between stands on a line of its own`() async throws {
    let valve = Valve(bytes: 10)
    let file = #"<file name="a"><url>\#(world.serve("/a", Content(size: 100)))</url></file>"#
    let text = #"<metalink xmlns="urn:ietf:params:xml:ns:metalink">\#(file)</metalink>"#
    var behaviour = Behaviour.status(200, body: text)
    behaviour.valve = valve
    world.server.on("/list.meta4", behaviour)
    let tty = Tty(world, ["get", "-d", world.downloads, world.server.url("/list.meta4")])
    try await tty.sees("1 active")
    valve.open()
    #expect(await tty.ended() == 0)
    let lines = tty.text.replacing("\r\n", with: "\n").split(separator: "\n")
    let told = lines.first { $0.contains("its file takes its place") }
    #expect(
      told?.split(separator: "\u{1B}[K").last?.hasPrefix("winch: list.meta4") == true,
      "\(lines)"
    )
  }

  @Test func `the updated line is never longer than the terminal`() async throws {
    let link = world.serve("/big.iso", content) { $0.valve = valve }
    let tty = Tty(world, ["get", "-d", world.downloads, "--ascii", link], columns: 30)
    try await tty.sees("\u{1B}[K")
    try await tty.sees("1 active")
    let drawn = tty.text.split(separator: "\r").filter { $0.contains("active") }
    #expect(!drawn.isEmpty && drawn.allSatisfy { $0.prefix { $0 != "\u{1B}" }.utf8.count < 30 })
  }

  @Test(arguments: [("dumb", "cannot place the cursor"), ("", "TERM is not set")])
  func `a terminal that cannot show a screen gets plain lines and one reason`(
    _ type: String,
    _ reason: String
  ) async throws {
    world.environment["TERM"] = type
    let tty = half([])
    try await tty.sees("start   big.iso")
    valve.open()
    #expect(await tty.ended() == 0)
    #expect(world.saved("big.iso") == content.bytes)
    #expect(tty.text.count(of: reason) == 1)
    #expect(tty.text.replacing("\r\n", with: "\n").utf8.allSatisfy { $0 >= 32 || $0 == 10 })
  }

  @Test func `in the background there are plain lines, and nothing stops`() async throws {
    let link = world.serve("/big.iso", content)
    let script = "set -m; \"$@\" & wait $!"
    let tty = Tty(world, ["-d", world.downloads, link], by: ["/bin/sh", "-c", script, "sh"])
    try await tty.sees("in the background: plain lines")
    #expect(await eventually { world.saved("big.iso") == content.bytes })
    tty.hangUp()
  }

  @Test func `Ctrl-C on the terminal stops winch get in order`() async throws {
    let tty = half(["get"])
    try await tty.sees("start   big.iso")
    tty.type("\u{3}")
    #expect(await tty.ended() == 3)
    #expect(tty.text.contains("run the same command again"))
  }

  @Test func `a terminal that goes away stops winch get in order`() async throws {
    let tty = half(["get"])
    try await tty.sees("start   big.iso")
    tty.hangUp()
    #expect(await tty.ended(within: .seconds(5)) == 3)
    valve.open()
    let link = world.server.url("/big.iso")
    #expect(try await world.get(link).code == 0)
    #expect(world.saved("big.iso") == content.bytes)
    #expect(world.server.requests.last?.header("If-Range") != nil)
  }
}

extension String {
  /// How often a part stands in it.
  func count(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
