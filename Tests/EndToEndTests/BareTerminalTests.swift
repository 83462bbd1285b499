// SPDX-License-Identifier: Apache-2.0
//
// The very bytes the screen sends to a terminal: how many, which, and to which kinds of it; and
// what becomes of transfers when nobody reads them, or the terminal is gone.

import FaultServer
import Glibc
import Testing

@Suite(.serialized) struct BareTerminalTests {
  let world = World()

  /// The screen with a file of which only a part comes until the valve is opened.
  private func part(_ arguments: [String] = [], _ valve: Valve = Valve(bytes: 1000)) -> Tty {
    let link = world.serve("/big.iso", Content(size: 4_000_000)) { $0.valve = valve }
    return Tty(world, arguments + ["-d", world.downloads, link])
  }

  // MARK: - Budgets

  @Test func `a screen on which nothing runs sends nothing`() async throws {
    let tty = Tty(world, ["-d", world.downloads, world.server.url("/gone.zip")])
    try await tty.sees("404 not found")
    tty.read(untilQuietFor: 1500)
    #expect(tty.read(untilQuietFor: 2000) == [])
  }

  /// Nothing runs, so no clock ticks: what a key does is painted by the key or never.
  @Test func `a key is painted at once, and a step of the cursor is cheap`() async throws {
    let links = (1...10).map { world.server.url("/gone\($0).zip") }
    let tty = Tty(world, ["-d", world.downloads] + links)
    #expect(await eventually { tty.has("404 not found", times: 10) })
    tty.read(untilQuietFor: 1500)
    for key in ["j", "j", "j", "k", "\u{1B}[B", "G", "g"] {
      let before = tty.received.count
      tty.type(key)
      let isPainted = await eventually {
        tty.read()
        return tty.received.count > before
      }
      tty.read(untilQuietFor: 300)
      #expect(
        isPainted && tty.received.count <= before + 400,
        "\(tty.received.count - before) bytes"
      )
    }
  }

  @Test func `the mouse and the title are left alone`() async throws {
    let tty = part()
    try await begins(tty)
    tty.type("Q")
    #expect(await tty.ended() == 0)
    for sequence in ["\u{1B}[?1000h", "\u{1B}[?1002h", "\u{1B}[?1003h", "\u{1B}]0;", "\u{1B}]2;"] {
      #expect(!tty.text.contains(sequence))
    }
    #expect(tty.text.count(of: "\u{1B}[?2004h") == 1 && tty.text.count(of: "\u{1B}[?2004l") >= 1)
  }

  // MARK: - Hostile names

  @Test func `a name with escapes shows as text only`() async throws {
    let path = "/%1b%5d0;owned%07%c2%9b31m%e2%80%aeevil%0d%1b%5b2J.bin"
    let link = world.serve(path, Content(size: 1000))
    let tty = Tty(world, ["-d", world.downloads, link])
    try await tty.sees("evil")
    #expect(await eventually { names(in: world.downloads).first?.hasSuffix(".bin") == true })
    tty.type("\r")
    try await tty.sees("Saved to")
    tty.type("\u{1B}")
    tty.read(untilQuietFor: 300)
    tty.type("Q")
    #expect(await tty.ended() == 0)
    let raw = String(decoding: tty.received, as: UTF8.self)
    for hostile in ["\u{1B}]0;", "\u{7}", "\u{9B}", "\u{202E}", "\u{1B}[2J.bin"] {
      #expect(!raw.contains(hostile), "\(hostile.debugDescription)")
    }
  }

  // MARK: - Terminals

  @Test(arguments: [
    "xterm", "xterm-256color", "screen", "screen-256color", "tmux-256color", "linux", "vt100",
    "vt220", "ansi", "rxvt-unicode",
  ])
  func `every usual terminal is painted`(_ type: String) async throws {
    world.environment["TERM"] = type
    let tty = Tty(world, [])
    try await tty.sees("winch  empty")
    try await tty.sees("Nothing to download yet.")
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }

  /// Terminals that may come, by names that no database has yet.
  static let strangers = [
    ("xterm-kitty-x", "xterm-256color"), ("alacritty-x", "xterm-256color"),
    ("foot-x", "xterm-256color"), ("xterm-ghostty-x", "xterm-256color"),
    ("wezterm-x", "xterm-256color"), ("tmux-x", "screen-256color"), ("nobody-knows", "vt100"),
  ]

  @Test(arguments: strangers)
  func `a terminal that is unknown here is treated as its kin, which is told once`(
    _ type: String,
    _ kin: String
  ) async throws {
    world.environment["TERM"] = type
    let tty = Tty(world, [])
    try await tty.sees("TERM=\(type) is unknown here, using \(kin)")
    try await tty.sees("Nothing to download yet.")
    tty.type("Q")
    #expect(await tty.ended() == 0)
    #expect(tty.text.count(of: "is unknown here") == 1)
  }

  @Test(arguments: [(["NO_COLOR": "1"], []), ([:], ["--color", "never"]), (["TERM": "vt100"], [])])
  func `without colour no colour is sent, and states are words`(
    _ variables: [String: String],
    _ arguments: [String]
  ) async throws {
    world.environment.merge(variables) { $1 }
    let link = world.server.url("/gone.zip")
    let tty = Tty(world, arguments + ["-d", world.downloads, link])
    try await tty.sees("404 not found")
    tty.type("Q")
    #expect(await tty.ended() == 0)
    #expect(colours(tty.text).isEmpty)
  }

  @Test func `with colour the failed one is red`() async throws {
    let tty = Tty(world, ["-d", world.downloads, world.server.url("/gone.zip")])
    try await tty.sees("404 not found")
    #expect(colours(tty.text).contains("31"))
  }

  /// The colours that text sets; the terminal's own (39, 49) is none.
  private func colours(_ text: String) -> Set<Substring> {
    let settings = text.matches(of: /\x1B\[([0-9;]*)m/).flatMap { $0.1.split(separator: ";") }
    return Set(settings.filter { ["3", "4", "9", "10"].contains($0.dropLast()) && $0.last != "9" })
  }

  @Test(arguments: [(["LANG": "C", "LC_ALL": "C"], []), ([:], ["--ascii"])])
  func `in the C locale everything is ASCII`(
    _ variables: [String: String],
    _ arguments: [String]
  ) async throws {
    world.environment.merge(variables) { $1 }
    let link = world.serve("/%E6%97%A5%E6%9C%AC.bin", Content(size: 1000))
    let tty = Tty(world, arguments + ["-d", world.downloads, link])
    try await tty.sees("no checksum")
    try await tty.sees("[m#")
    tty.type("?")
    try await tty.sees("Keys of winch")
    #expect(tty.received.allSatisfy { $0 < 128 })
    #expect(tty.text.contains("??.bin"))
  }

  /// Waits until the screen stands and the server has begun to send.
  private func begins(_ tty: Tty) async throws {
    try await tty.sees("winch")
    #expect(await eventually { world.server.requests.contains { $0.bytesSent > 0 } })
  }

  @Test func `what a library writes to standard error comes after the picture`() async throws {
    let tty = part([], Valve(bytes: 1000))
    try await begins(tty)
    let file = open("/proc/\(tty.id)/fd/2", O_WRONLY | O_APPEND)
    let noise = Array("noise\u{1B}]0;x\u{7} of a library\n".utf8)
    #expect(write(file, noise, noise.count) == noise.count)
    close(file)
    tty.type("?")
    try await tty.sees("Keys of winch")
    #expect(!tty.text.contains("noise"))
    tty.type("?Q")
    #expect(await tty.ended() == 0)
    let behind = tty.text.split(separator: "\u{1B}[?1049l").last ?? ""
    #expect(
      behind.contains("noise") && behind.contains("of a library") && !behind.contains("\u{1B}]")
    )
  }

  @Test func `the terminal never gets a flag that others would see`() async throws {
    let tty = part([], Valve(bytes: 1000))
    try await begins(tty)
    tty.type("?")
    try await tty.sees("Keys of winch")
    for number in 0...2 {
      let facts = text("/proc/\(tty.id)/fdinfo/\(number)")
      let flags = facts.split(separator: "flags:").dropFirst().first?.split(separator: "\n").first
      let bits = Int32((flags ?? "").filter { !$0.isWhitespace }, radix: 8)
      #expect(bits.map { $0 & O_NONBLOCK } == 0, "\(facts)")
    }
    tty.type("?Q")
    #expect(await tty.ended() == 0)
  }

  @Test func `a key in two pieces is one key, for as long as ESCDELAY says`() async throws {
    world.environment["ESCDELAY"] = "10000"
    let tty = part([], Valve(bytes: 1000))
    try await begins(tty)
    tty.type("\r")
    try await tty.sees("State")
    tty.type("\u{1B}")
    tty.read(untilQuietFor: 200)
    // Left: with Esc for itself it would be an opening bracket and D.
    tty.type("[D")
    try await tty.sees("1 active")
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }

  // MARK: - Stuck and gone

  @Test(arguments: [[], ["/bin/sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]])
  func `a terminal that is taken away ends the screen with everything saved`(
    _ starter: [String]
  ) async throws {
    let valve = Valve(bytes: 1_000_000)
    let link = world.serve("/big.iso", Content(size: 4_000_000)) { $0.valve = valve }
    let tty = Tty(world, ["-d", world.downloads, link], by: starter)
    try await begins(tty)
    // What the server handed to the system may not have been read yet.
    #expect(await eventually { world.saved("big.iso.part")?.isEmpty == false })
    tty.hangUp()
    #expect(await tty.ended(within: .seconds(10)) == 128 + SIGHUP)
    valve.open()
    #expect(try await world.get(link).code == 0)
    #expect(world.saved("big.iso") == Content(size: 4_000_000).bytes)
    #expect(world.server.requests.last?.header("If-Range") != nil)
  }

  @Test func `transfers go on while the terminal takes nothing, and then one picture comes`()
    async throws
  {
    let valve = Valve(bytes: 1000)
    let tty = part([], valve)
    try await begins(tty)
    tty.type("\u{13}")
    tty.read(untilQuietFor: 500)
    for _ in 0..<40 { tty.type("?x") }
    valve.open()
    #expect(await eventually { world.saved("big.iso") == Content(size: 4_000_000).bytes })
    #expect(tty.read(untilQuietFor: 300) == [])
    tty.type("\u{11}")
    try await tty.sees("no checksum")
    #expect(tty.read(untilQuietFor: 500).count < 4000)
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }

  @Test func `transfers go on while nobody reads the terminal`() async throws {
    let valve = Valve(bytes: 1000)
    let tty = part([], valve)
    try await begins(tty)
    // Keys whose pictures are more than what a terminal keeps for a reader.
    for _ in 0..<40 { tty.type("?x") }
    valve.open()
    #expect(await eventually { world.saved("big.iso") == Content(size: 4_000_000).bytes })
    tty.type("Q")
    #expect(await tty.ended() == 0)
  }
}
