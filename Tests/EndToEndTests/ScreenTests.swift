// SPDX-License-Identifier: Apache-2.0
//
// The screen in a real terminal: what keys do to real transfers, and what is then to be seen.

import FaultServer
import Glibc
import Testing

@Suite(.serialized, .enabled(if: Tmux.isInstalled, "tmux is missing: scripts/packages test"))
struct ScreenTests {
  let world = World()

  /// A link to a file of which only the first half comes until the valve is opened.
  private func halfLink(_ name: String, _ valve: Valve) -> String {
    world.serve("/\(name)", Content(key: name, size: 4_000_000)) { $0.valve = valve }
  }

  /// Whether a file has arrived with the right bytes.
  private func hasArrived(_ name: String) -> Bool {
    world.saved(name) == Content(key: name, size: 4_000_000).bytes
  }

  @Test func `an empty list says how to begin, and a typed link is fetched`() async throws {
    let link = world.serve("/typed.iso", Content(key: "typed.iso", size: 4_000_000))
    let tmux = try await Tmux(world, showing: "Nothing to download yet")
    try await tmux.press("a")
    try await tmux.sees("Add downloads")
    try await tmux.write(link)
    try await tmux.sees("1 new")
    try await tmux.press("Enter")
    try await tmux.sees("1 done", "+  typed.iso", "100%", "->  \(world.downloads)")
    #expect(hasArrived("typed.iso"))
  }

  @Test(arguments: [true, false])
  func `a pasted list opens the dialog, and one Enter adds it`(_ bracketed: Bool) async throws {
    let links = (1...3).map { number in
      world.serve("/part\(number).rar", Content(key: "\(number)", size: 1000))
    }
    let tmux = try await Tmux(world, showing: "Nothing to download yet")
    let text = (links + [links[0], "qQPdfk r?", "gopher://127.0.0.1/x"]).joined(separator: "\n")
    try await tmux.paste(text, bracketed: bracketed)
    try await tmux.sees("3 new, 1 duplicate, 2 not a link", links[2], "(same as line 1)")
    try await tmux.sees("(gopher not supported, will be skipped)")
    #expect(world.server.requests.isEmpty, "nothing before Enter")
    try await tmux.press("Enter")
    try await tmux.sees("3 done")
    #expect(names(in: world.downloads) == ["part1.rar", "part2.rar", "part3.rar"])
  }

  @Test func `a thousand pasted links are one batch`() async throws {
    let links = (1...1000).map { "http://127.0.0.1:\(world.server.port)/file\($0)" }
    let tmux = try await Tmux(world, showing: "Nothing to download yet")
    try await tmux.paste(links.joined(separator: "\n"), bracketed: true)
    try await tmux.sees("1000 new")
    try await tmux.press("Escape")
    try await tmux.losesSight(of: "1000 new")
    try await tmux.sees("Nothing to download yet")
    #expect(world.server.requests.isEmpty)
  }

  @Test func `p pauses and resumes, P all of them`() async throws {
    let valve = Valve(bytes: 3_000_000)
    let tmux = try await Tmux(
      world,
      winch: halfLink("one.iso", valve),
      halfLink("two.iso", valve),
      showing: "2 active"
    )
    #expect(world.server.waitForRequests(1, "/one.iso"))
    try await tmux.press("p")
    try await tmux.sees("paused by you")
    try await tmux.sees("1 active")
    try await tmux.press("P")
    try await tmux.sees("2 paused")
    valve.open()
    try await tmux.press("P")
    try await tmux.sees("1 paused")  // P resumes what P has paused.
    try await tmux.sees("1 done")
    try await tmux.press("p")
    try await tmux.sees("2 done")
    #expect(hasArrived("one.iso") && hasArrived("two.iso"))
  }

  @Test func `removal asks, takes no Enter, and keeps or deletes as told`() async throws {
    let valve = Valve(bytes: 2_000_000)
    let links = ["a.iso", "b.iso", "c.iso"].map { halfLink($0, valve) }
    let tmux = try await Tmux(world, winch: links[0], links[1], links[2], showing: "3 active")
    #expect(await eventually { names(in: world.downloads).count == 3 })
    try await tmux.press("Space", "d")
    try await tmux.sees("Remove 1 download?")
    try await tmux.press("Enter", "Enter", "x")
    try await tmux.sees("Remove 1 download?")
    try await tmux.press("n")
    try await tmux.sees("nothing removed")
    try await tmux.press("d")
    try await tmux.sees("Remove 1 download?")
    try await tmux.press("f")
    try await tmux.sees("2 active")
    #expect(await eventually { names(in: world.downloads) == ["b.iso.part", "c.iso.part"] })
    try await tmux.press("Space", "Space", "d")
    try await tmux.sees("Remove 2 downloads?")
    try await tmux.press("k")
    try await tmux.sees("Nothing to download yet")
    #expect(names(in: world.downloads) == ["b.iso.part", "c.iso.part"])
  }

  @Test func `the question acts on what it named, whatever the list does meanwhile`() async throws {
    let (first, second) = (Valve(bytes: 1000), Valve(bytes: 1000))
    let links = [halfLink("first.iso", first), halfLink("second.iso", second)]
    let tmux = try await Tmux(world, winch: links[0], links[1], showing: "2 active")
    try await tmux.press("d")
    try await tmux.sees("Remove 1 download?", "│ first.iso")
    first.open()
    #expect(await eventually { hasArrived("first.iso") })
    try await tmux.sees("1 done")
    try await tmux.press("f")
    try await tmux.sees("finished meanwhile and stays")
    #expect(hasArrived("first.iso"))
    try await tmux.sees("1 active")
  }

  @Test func `Enter opens the details and Esc closes them`() async throws {
    let valve = Valve(bytes: 2_000_000)
    let tmux = try await Tmux(
      world,
      winch: "-n",
      "1",
      halfLink("big.iso", valve),
      showing: "1 active"
    )
    try await tmux.press("Enter")
    try await tmux.sees("Connections")
    try await tmux.sees(
      "answered: 4000000 bytes",
      "From      \(world.server.url("/big.iso"))",
      "Saved to  \(world.downloads)/big.iso",
      "of 3.81 MiB",
      "Resume    yes"
    )
    try await tmux.sees("50.0%")
    try await tmux.press("Escape")
    try await tmux.sees("1 active")
    try await tmux.losesSight(of: "Connections")
  }

  @Test func `help lists the keys and any key closes it`() async throws {
    let tmux = try await Tmux(world, showing: "Nothing to download yet")
    try await tmux.press("?")
    try await tmux.sees("Keys of winch", "pause, resume", "tag, move down")
    try await tmux.press("x")
    try await tmux.losesSight(of: "Keys of winch")
  }

  @Test func `q asks while something runs, and leaves a summary behind`() async throws {
    let valve = Valve(bytes: 1000)
    let small = world.serve("/small.bin", Content(size: 10))
    let links = [halfLink("big.iso", valve), small, world.server.url("/gone.zip")]
    let tmux = try await Tmux(world, winch: links[0], links[1], links[2], showing: "1 done")
    try await tmux.sees("404 not found")
    try await tmux.press("q")
    try await tmux.sees("1 download is running.")
    try await tmux.press("Enter", "n")
    try await tmux.losesSight(of: "1 download is running.")
    try await tmux.press("q")
    try await tmux.sees("1 download is running.")
    try await tmux.press("y")
    try await tmux.sees(
      "done    small.bin",
      "failed  gone.zip  404 not found",
      "1 download goes on next time"
    )
  }

  @Test func `what ran before quitting runs after coming back, with the right bytes`() async throws
  {
    let valve = Valve(bytes: 2_000_000)
    let small = world.serve("/small.bin", Content(size: 10))
    let links = [halfLink("big.iso", valve), small, world.server.url("/gone.zip")]
    let tmux = try await Tmux(world)
    try await tmux.winch(["-n", "1"] + links, showing: "1 done")
    try await tmux.sees("404 not found")
    #expect(await eventually { world.server.requests("/big.iso").first?.bytesSent == 2_000_000 })
    try await tmux.press("Q")
    try await tmux.sees("goes on next time")
    try await tmux.winch([], showing: "1 active  1 failed  1 done")
    try await tmux.sees("404 not found")
    valve.open()
    try await tmux.sees("2 done")
    #expect(hasArrived("big.iso"))
    #expect(world.server.requests("/big.iso").last?.header("If-Range") != nil)
    #expect(world.server.requests("/small.bin").count == 1)
  }

  @Test func `what kill -9 ended runs after coming back, and paused stays paused`() async throws {
    let (running, paused) = (Valve(bytes: 1000), Valve(bytes: 1000))
    let links = [halfLink("paused.iso", paused), halfLink("running.iso", running)]
    let killed = try await Tmux(world, winch: links[0], links[1], showing: "2 active")
    #expect(await eventually { names(in: world.downloads).count == 2 })
    try await killed.press("p")
    try await killed.sees("paused by you")
    kill(try await killed.program(), SIGKILL)
    try await killed.sees("Killed")
    let tmux = try await Tmux(world, showing: "1 active  1 paused")
    running.open()
    try await tmux.sees("1 done")
    try await tmux.sees("paused by you")
    #expect(hasArrived("running.iso") && !hasArrived("paused.iso"))
    paused.open()
    try await tmux.press("g", "p")
    try await tmux.sees("2 done")
    #expect(hasArrived("paused.iso"))
  }
}
