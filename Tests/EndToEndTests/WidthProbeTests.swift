// SPDX-License-Identifier: Apache-2.0
//
// A terminal is asked once how wide a block is. One that gives it two columns, as some do for East
// Asian users, gets ASCII; one that says nothing is not waited for.

import FaultServer
import Testing

@Suite(.serialized) struct WidthProbeTests {
  let world = World()
  private let question = "\u{1B}[6n"

  /// A screen with one file that has come.
  private func screen(_ arguments: [String] = []) -> Tty {
    let link = world.serve("/%E6%97%A5%E6%9C%AC-%C3%A9.bin", Content(size: 1000))
    return Tty(world, arguments + ["-d", world.downloads, link])
  }

  /// All bytes of a picture painted anew.
  private func picture(_ tty: Tty) async throws -> String {
    tty.read(untilQuietFor: 300)
    let before = tty.received.count
    tty.type("\u{C}")
    #expect(await eventually { tty.has("Name", times: 1) && tty.received.count > before + 500 })
    tty.read(untilQuietFor: 300)
    return String(decoding: tty.received[before...], as: UTF8.self)
  }

  @Test func `two columns for a block mean ASCII, and names keep what is wide anyway`() async throws
  {
    let tty = screen()
    try await tty.sees("no checksum")
    tty.type("\u{1B}[2;")
    tty.type("3R")
    try await tty.sees("[m#")
    let text = try await picture(tty)
    #expect(text.contains("日本-?.bin") && !text.contains("█") && !text.contains("·"))
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }

  @Test(arguments: ["", "\u{1B}[2;2R"])
  func `one column, or no answer, changes nothing`(answer: String) async throws {
    let tty = screen()
    try await tty.sees("no checksum")
    #expect(tty.text.count(of: question) == 1)
    if !answer.isEmpty { tty.type(answer) }
    let text = try await picture(tty)
    #expect(text.contains("日本-é.bin") && text.contains("█"))
    #expect(tty.text.count(of: question) == 1)
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }

  @Test(arguments: [["--ascii"], []])
  func `where ASCII is drawn nothing is asked`(arguments: [String]) async throws {
    if arguments.isEmpty { world.environment.merge(["LANG": "C", "LC_ALL": "C"]) { $1 } }
    let tty = screen(arguments)
    try await tty.sees("no checksum")
    #expect(tty.text.count(of: question) == 0)
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }

  @Test func `an answer on its way while winch ends is no key for the shell`() async throws {
    let rest = [
      "/bin/sh", "-c", "\"$@\"; stty -icanon min 0 time 5; printf 'left<%s>' \"$(cat)\"", "sh",
    ]
    let tty = Tty(world, ["-d", world.downloads], by: rest)
    try await tty.sees(question)
    tty.type("Q\u{1B}[2;2R")
    try await tty.sees("left<>")
  }
}
