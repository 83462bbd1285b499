// SPDX-License-Identifier: Apache-2.0
//
// The screen at every size a terminal can have, and on every kind of terminal.

import Chance
import FaultServer
import Glibc
import Testing

@Suite(.serialized, .enabled(if: Tmux.isInstalled, "tmux is missing: scripts/packages test"))
struct ResizeTests {
  let world = World()
  private let name = "日本語ドキュメント集_2026年版.tar.zst"

  /// A list of a file that stands still and two that are there.
  private func links() -> [String] {
    let valve = Valve(bytes: 2_000_000)
    let encoded = name.utf8.map { byte in
      let hex = String(byte, radix: 16)
      return byte < 128 ? String(UnicodeScalar(byte)) : "%" + hex
    }.joined()
    return [
      world.serve("/still.iso", Content(key: "still", size: 4_000_000)) { $0.valve = valve },
      world.serve("/" + encoded, Content(key: "cjk", size: 5000)),
      world.serve("/latin.bin", Content(key: "latin", size: 5000)),
    ]
  }

  @Test func `the screen shows the right things at every size`() async throws {
    let links = links()
    let tmux = try await Tmux(world, winch: links[0], links[1], links[2], showing: "2 done")
    let steps: [(Int, Int, [String])] = [
      (40, 10, [" 1 act 2 done", "still.iso", "?Help"]),
      (20, 2, ["1 act 2 done"]),
      (1, 1, []),
      (120, 40, ["Host", "127.0.0.1", "Enter Details", "\(name)   "]),
      (12, 1, ["%"]),
      (200, 60, ["Host", name]),
      (80, 6, ["still.iso", "?Help"]),
      (2, 30, []),
      (300, 3, ["1 act"]),
      (80, 24, ["1 active", "Progress", "still.iso", "?Help", "qQuit"]),
    ]
    for (columns, rows, words) in steps {
      try await tmux.resize(columns: columns, rows: rows)
      try await tmux.shows("\(words) at \(columns)x\(rows)") { lines in
        words.allSatisfy { word in lines.contains { $0.contains(word) } }
      }
    }
    try await tmux.press("?")
    try await tmux.resize(columns: 20, rows: 3)
    try await tmux.resize(columns: 90, rows: 30)
    try await tmux.sees("Keys of winch")
  }

  @Test func `left and looked at again from another terminal it fits`() async throws {
    let links = links()
    let tmux = try await Tmux(world, winch: links[0], links[1], links[2], showing: "2 done")
    for (columns, rows, footer) in [(40, 10, " ?Help"), (120, 30, " ? Help")] {
      let other = try await tmux.attach(columns: columns, rows: rows)
      try await tmux.shows("the list at \(columns)x\(rows)") { lines in
        other.read()
        let isFull = lines.count >= rows && lines[rows - 1].hasPrefix(footer)
        return isFull && lines[0].contains("2 done")
      }
      other.hangUp()
      #expect(await other.ended() != nil)
    }
    try await tmux.press("?")
    try await tmux.sees("Keys of winch")
  }

  @Test func `a storm of sizes ends in the right picture`() async throws {
    let links = links()
    let tmux = try await Tmux(world, winch: links[0], links[1], links[2], showing: "2 done")
    let id = try await tmux.program()
    var random = SplitMix(seed: 11)
    for key in ["x", "a", "Escape", "?", "x", "d", "Escape", "Enter", "Escape"] {
      try await tmux.press(key)
      for _ in 0..<6 {
        let columns = Int.random(in: 1...300, using: &random)
        let rows = Int.random(in: 1...100, using: &random)
        try await tmux.resize(columns: columns, rows: rows)
      }
    }
    try await tmux.resize(columns: 80, rows: 24)
    let lines = try await tmux.shows("the list at 80x24") { lines in
      lines.contains { $0.hasPrefix(" St Name  ") } && lines.contains { $0.contains("qQuit") }
    }
    #expect(lines.contains { $0.contains("2 done") })
    #expect(try await tmux.program() == id)
  }

  @Test func `wide characters keep the columns aligned`() async throws {
    let links = links()
    let tmux = try await Tmux(world, winch: links[0], links[1], links[2], showing: "2 done")
    let lines = try await tmux.sees("+  日本語", "+  latin.bin", "?Help")
    let wide = try #require(lines.first { $0.contains("+  日本語") })
    let narrow = try #require(lines.first { $0.contains("+  latin.bin") })
    #expect(cells(wide, before: "██") == cells(narrow, before: "██"))
    #expect(cells(wide, before: "4.88 KiB") == cells(narrow, before: "4.88 KiB"))
  }

  /// The cells in front of a part of a line.
  private func cells(_ line: String, before part: String) -> Int? {
    line.ranges(of: part).first.map { range in
      line[..<range.lowerBound].unicodeScalars.reduce(0) { $0 + ($1.value >= 0x3000 ? 2 : 1) }
    }
  }

  @Test func `LINES and COLUMNS do not pin the size`() async throws {
    world.environment["LINES"] = "10"
    world.environment["COLUMNS"] = "40"
    let tmux = try await Tmux(world, showing: "Nothing to download yet")
    try await tmux.shows("the footer in the last row") { $0[23].contains("?Help") }
  }
}
