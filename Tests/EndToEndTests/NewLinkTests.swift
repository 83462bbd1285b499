// SPDX-License-Identifier: Apache-2.0
//
// A new link on the screen: one with another file is refused, the right one goes on.

import FaultServer
import Testing

@Suite(.serialized, .enabled(if: Tmux.isInstalled, "tmux is missing: scripts/packages test"))
struct NewLinkTests {
  let world = World()

  @Test func `e refuses another file, and goes on from the right one`() async throws {
    let content = Content(key: "big", size: 4_000_000)
    let valve = Valve(bytes: 2_000_000)
    let old = world.serve("/big.iso", content) { $0.valve = valve }
    let wrong = world.serve("/wrong", Content(key: "wrong", size: 4_000_000))
    let right = world.serve("/right", content)
    let tmux = try await Tmux(world, winch: "-n", "1", old, showing: "1 active")
    try await tmux.sees("50%")
    try await tmux.press("e")
    try await tmux.sees("New link", "Now  \(old)")
    try await tmux.paste(wrong, bracketed: true)
    try await tmux.sees("> \(wrong)")
    try await tmux.press("Enter")
    try await tmux.sees("another file there")
    #expect(names(in: world.downloads) == ["big.iso.part"])
    try await tmux.press("e")
    try await tmux.sees("New link", "Now  \(old)")
    try await tmux.paste(right, bracketed: true)
    try await tmux.press("Enter")
    try await tmux.sees("1 done")
    #expect(world.saved("big.iso") == content.bytes)
    let starts = world.server.requests("/right").compactMap(\.range)
    #expect(starts.last?.hasPrefix("bytes=0-") == false)
  }
}
