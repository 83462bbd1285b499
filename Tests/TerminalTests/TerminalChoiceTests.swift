// SPDX-License-Identifier: Apache-2.0
//
// Which terminfo entry a terminal gets, colours, and whether our widths are the C library's.

import CPty
import Frames
import Glibc
import Terminal
import Testing

/// What Debian's ncurses-base holds.
private let base: Set<String> = [
  "xterm", "xterm-256color", "screen", "screen-256color", "tmux", "tmux-256color", "linux", "vt100",
  "vt220", "ansi", "rxvt-unicode-256color",
]

private func entry(_ name: String) -> TerminalEntry {
  if name == "dumb" { return .withoutCursor }
  return base.contains(name) ? .usable : .missing
}

@Suite struct TerminalChoiceTests {
  @Test(arguments: base.sorted())
  func `known terminals keep their entry`(term: String) {
    #expect(
      TerminalChoice.choose(term: term, entry: entry) == .fullScreen(entry: term, note: nil)
    )
  }

  @Test(arguments: [
    ("xterm-kitty", "xterm-256color"), ("alacritty", "xterm-256color"),
    ("alacritty-direct", "xterm-256color"), ("foot", "xterm-256color"),
    ("foot-extra", "xterm-256color"), ("xterm-ghostty", "xterm-256color"),
    ("ghostty", "xterm-256color"), ("wezterm", "xterm-256color"), ("contour", "xterm-256color"),
    ("st-256color", "xterm-256color"), ("tmux-direct", "screen-256color"),
    ("screen.xterm-new", "screen-256color"), ("hp2621", "vt100"),
  ])
  func `unknown terminals get an entry they understand, and a note`(term: String, known: String) {
    guard
      case .fullScreen(let entry, let note) = TerminalChoice.choose(term: term, entry: entry)
    else {
      Issue.record("plain lines for \(term)")
      return
    }
    #expect(entry == known)
    #expect(note?.contains(term) == true && note?.contains(known) == true)
  }

  @Test(arguments: [nil, "", "dumb"])
  func `plain lines without a terminal type that places the cursor`(term: String?) {
    guard case .plain(let reason) = TerminalChoice.choose(term: term, entry: entry) else {
      Issue.record("a full screen for \(term ?? "nil")")
      return
    }
    #expect(reason.contains("TERM"))
  }

  @Test func `nothing in the database means plain lines`() {
    guard
      case .plain(let reason) = TerminalChoice.choose(term: "e\u{1B}x", entry: { _ in .missing })
    else {
      Issue.record("a full screen")
      return
    }
    #expect(!reason.utf8.contains(0x1B))
  }

  @Test(
    arguments: [
      (ColorChoice.auto, nil, true), (.auto, "", true), (.auto, "1", false), (.always, "1", true),
      (.never, nil, false),
    ] as [(ColorChoice, String?, Bool)]
  )
  func `NO_COLOR counts unless the user chose`(
    choice: ColorChoice,
    noColor: String?,
    wanted: Bool
  ) {
    #expect(choice.usesColor(noColor: noColor) == wanted)
  }
}

@Suite struct CLibraryTests {
  /// The only deliberate difference: NUL has width 0 in C because it ends a string.
  @Test func `every scalar is as wide as the C library says`() throws {
    let utf8 = try #require(newlocale(1 << LC_CTYPE, "C.UTF-8", nil))
    let before = uselocale(utf8)
    defer {
      uselocale(before)
      freelocale(utf8)
    }
    var different: [UInt32] = []
    for value in UInt32(1)...0x10FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      if Int(cpty_wcwidth(value)) != TextWidth.columns(of: scalar) {
        different.append(value)
      }
    }
    #expect(different.isEmpty)
  }
}
