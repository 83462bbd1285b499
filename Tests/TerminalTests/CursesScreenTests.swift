// SPDX-License-Identifier: Apache-2.0
//
// The curses screen on a pseudo terminal: what it sends, and that it gives the terminal back.

import CPty
import Frames
import Glibc
import Testing

@testable import Terminal

/// A canvas that looks like a list with one selected row.
private func list(selected: Int, columns: Int = 80, rows: Int = 24, done: Int64 = 50) -> Canvas {
  var canvas = Canvas(size: Size(columns: columns, rows: rows))
  canvas.put("winch  3 active", at: Position(row: 0, column: 0), style: Style(.header))
  for row in 1..<max(2, rows) {
    let isSelected = row == selected
    canvas.put(isSelected ? ">" : " ", at: Position(row: row, column: 0))
    let style = Style(.plain, isSelected ? .reverse : [])
    canvas.put("D  file-\(row)-of-a-list.iso", at: Position(row: row, column: 1), style: style)
    let bar = ProgressBar(done: done + Int64(row), total: 100, width: 10).text(.ascii)
    canvas.put(bar, at: Position(row: row, column: 34), style: Style(.running))
  }
  canvas.cursor = Position(row: selected, column: 0)
  return canvas
}

@MainActor
@Suite(.serialized) struct CursesScreenTests {
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  @Test(arguments: [
    "xterm", "xterm-256color", "screen", "screen-256color", "tmux-256color", "linux", "vt100",
    "vt220", "ansi", "rxvt-unicode-256color",
  ])
  func `paints on every common terminal and gives it back`(entry: String) throws {
    let pty = Pty()
    let before = pty.settings()
    let screen = try pty.screen(entry)
    #expect(pty.settings() != before)
    #expect(screen.present(list(selected: 1)) == .painted)
    let painted = pty.sentText()
    #expect(painted.contains("winch"))
    #expect(painted.contains("file-23-of-a-list.iso"))
    #expect(painted.contains("\u{1B}[?2004h") == (entry != "vt100"))
    screen.close()
    screen.close()
    #expect(pty.settings() == before)
    #expect(pty.sentText().contains("\u{1B}[?2004l") == (entry != "vt100"))
    #expect(screen.present(list(selected: 2)) == .gone)
    #expect(pty.sent().isEmpty)
  }

  @Test(arguments: ["xterm-256color", "screen-256color", "tmux-256color", "linux", "vt100"])
  func `a frame costs what changed`(entry: String) throws {
    let pty = Pty()
    let screen = try pty.screen(entry)
    defer { screen.close() }
    _ = screen.present(list(selected: 5))
    let first = pty.sent().count
    #expect(first > 0 && first <= 2500)
    #expect(screen.present(list(selected: 5)) == .unchanged)
    #expect(pty.sent().isEmpty)
    #expect(screen.present(list(selected: 6)) == .painted)
    let step = pty.sent().count
    #expect(step > 0 && step <= 250)
    screen.repaint()
    #expect(screen.present(list(selected: 6)) == .painted)
    #expect(pty.sent().count > 500)
  }

  @Test func `wide characters, marks and colours reach the terminal`() throws {
    let pty = Pty(columns: 20, rows: 3)
    let screen = try pty.screen("xterm-256color")
    defer { screen.close() }
    var canvas = Canvas(size: screen.size)
    canvas.put("日本語 e\u{301}█▏", at: Position(row: 0, column: 0), style: Style(.running))
    canvas.put("日本", at: Position(row: 1, column: 17))
    canvas.put("last", at: Position(row: 2, column: 16), style: Style(.failed))
    #expect(screen.present(canvas) == .painted)
    let sent = pty.sentText()
    #expect(sent.unicodeScalars.contains("\u{301}"))
    for part in ["日本語", "█▏", "\u{1B}[32m", "\u{1B}[31m"] { #expect(sent.contains(part)) }
    #expect(sent.count { $0 == "日" } == 2)
    #expect(sent.count { $0 == "本" } == 1)
    // The corner is written with automatic margins off, or the screen would scroll.
    #expect(sent.contains("[31mlas\u{1B}[?7lt"))
  }

  @Test(arguments: ["xterm-256color", "linux", "vt100"])
  func `no colour is sent when none is wanted`(entry: String) throws {
    let pty = Pty()
    let screen = try pty.screen(entry, usesColor: false)
    defer { screen.close() }
    _ = screen.present(list(selected: 1))
    let sent = pty.sentText()
    #expect(!sent.contains("[32m") && sent.contains("7m"))
  }

  @Test func `a terminal that does not read gets the latest frame only`() throws {
    let pty = Pty()
    let screen = try pty.screen("xterm-256color")
    _ = screen.present(list(selected: 1))
    _ = pty.sent()
    var filled = 0
    while Descriptor(pty.slave).hasRoom, filled < 1 << 20 {
      Descriptor(pty.slave).write([0x2E])
      filled += 1
    }
    #expect(screen.present(list(selected: 2)) == .held)
    #expect(screen.present(list(selected: 9)) == .held)
    #expect(screen.isDirty)
    _ = pty.sent()
    #expect(screen.present(list(selected: 1)) == .painted)
    #expect(!screen.isDirty)
    _ = pty.sent()
    #expect(fcntl(pty.slave, F_GETFL) & O_NONBLOCK == 0)
    screen.close()
  }

  @Test func `resizing follows the terminal down to one cell`() throws {
    let pty = Pty()
    let screen = try pty.screen("xterm-256color")
    defer { screen.close() }
    for (columns, rows) in [(120, 40), (1, 1), (300, 100), (2, 60), (200, 1), (80, 24)] {
      cpty_resize(pty.master, Int32(rows), Int32(columns))
      #expect(screen.resize())
      #expect(!screen.resize())
      #expect(screen.size == Size(columns: columns, rows: rows))
      #expect(screen.present(list(selected: 1, columns: columns, rows: rows)) == .painted)
      _ = pty.sent()
      #expect(screen.present(list(selected: 1, columns: 90, rows: 30, done: 9)) == .painted)
      _ = pty.sent()
    }
  }

  @Test(arguments: [(7, 4, "\u{1B}[8;5H"), (99, 99, "\u{1B}[24;80H"), (-3, -1, "")])
  func `the cursor is parked where the canvas says`(row: Int, column: Int, wanted: String) throws {
    let pty = Pty()
    let screen = try pty.screen("xterm-256color")
    defer { screen.close() }
    var canvas = list(selected: 7)
    canvas.cursor = Position(row: 0, column: 0)
    _ = screen.present(canvas)
    _ = pty.sent()
    canvas.cursor = Position(row: row, column: column)
    #expect(screen.present(canvas) == .painted)
    #expect(pty.sentText() == wanted)
  }

  @Test func `the cursor shows in text fields only`() throws {
    let pty = Pty()
    let screen = try pty.screen("xterm-256color")
    defer { screen.close() }
    var canvas = list(selected: 7)
    _ = screen.present(canvas)
    #expect(pty.sentText().contains("\u{1B}[?25l"))
    canvas.showsCursor = true
    _ = screen.present(canvas)
    #expect(pty.sentText().contains("\u{1B}[?25h"))
  }

  @Test func `handlers of signals stay as they were`() throws {
    var before = sigaction()
    sigaction(SIGTSTP, nil, &before)
    let pty = Pty()
    let screen = try pty.screen("xterm")
    _ = screen.present(list(selected: 1))
    var after = sigaction()
    sigaction(SIGTSTP, nil, &after)
    #expect(
      unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(after.__sigaction_handler.sa_handler, to: Int.self)
    )
    screen.close()
  }

  @Test func `closing a terminal that does not read does not wait for it`() throws {
    let pty = Pty()
    let before = pty.settings()
    let screen = try pty.screen("xterm-256color")
    _ = screen.present(list(selected: 1))
    while Descriptor(pty.slave).hasRoom { Descriptor(pty.slave).write([0x2E]) }
    screen.close()
    #expect(pty.settings() == before)
    #expect(screen.present(list(selected: 2)) == .gone)
  }

  @Test func `LINES and COLUMNS do not pin the size`() throws {
    setenv("LINES", "10", 1)
    setenv("COLUMNS", "20", 1)
    defer {
      unsetenv("LINES")
      unsetenv("COLUMNS")
    }
    let pty = Pty(columns: 100, rows: 30)
    let screen = try pty.screen("xterm")
    defer { screen.close() }
    #expect(screen.size == Size(columns: 100, rows: 30))
    _ = screen.present(list(selected: 1, columns: 100, rows: 30))
    #expect(pty.sentText().contains("file-29-of"))
  }

  @Test func `a locale without UTF-8 gets one question mark for each character`() throws {
    setlocale(LC_CTYPE, "C")
    defer { setlocale(LC_CTYPE, "C.UTF-8") }
    #expect(TextEncoding.current == .ascii)
    let pty = Pty()
    let screen = try pty.screen("vt100")
    defer { screen.close() }
    var canvas = Canvas(size: screen.size)
    canvas.put("a\u{E9}e\u{301}日x", at: Position(row: 0, column: 0))
    _ = screen.present(canvas)
    let sent = pty.sent()
    #expect(sent.allSatisfy { $0 < 0x80 })
    let text = String(decoding: sent, as: UTF8.self)
    #expect(text.contains("a?e? x"))
  }

  @Test func `a screen of several bands is painted whole`() throws {
    let pty = Pty(columns: 300, rows: 100)
    let screen = try pty.screen("xterm-256color")
    var canvas = Canvas(size: screen.size)
    let line = (0..<300).map { String($0 % 7) }.joined()
    for row in 0..<20 { canvas.put(line, at: Position(row: row, column: 0)) }
    #expect(screen.present(canvas) == .painted)
    let digits = pty.sent().filter { (0x30..<0x37).contains($0) }
    #expect(digits.count >= 6000)
    screen.close()
  }

  @Test func `leaving and coming back gives a full frame at the new size`() throws {
    let pty = Pty()
    let before = pty.settings()
    let screen = try pty.screen("xterm-256color")
    _ = screen.present(list(selected: 1))
    _ = pty.sent()
    screen.leave()
    #expect(pty.settings() == before)
    let left = pty.sentText()
    #expect(left.contains("\u{1B}[?1049l") && left.contains("\u{1B}[?2004l"))
    #expect(screen.present(list(selected: 2)) == .gone)
    cpty_resize(pty.master, 30, 90)
    screen.comeBack()
    #expect(pty.settings() != before)
    #expect(screen.size == Size(columns: 90, rows: 30))
    #expect(screen.present(list(selected: 1, columns: 90, rows: 30)) == .painted)
    let again = pty.sentText()
    #expect(again.contains("\u{1B}[?1049h") && again.contains("\u{1B}[?2004h"))
    #expect(again.contains("file-29-of"))
    screen.close()
    #expect(pty.settings() == before)
  }

  @Test func `a hang-up is told apart from a full terminal`() throws {
    var pair: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let end = Descriptor(pair[1])
    let screen = try CursesScreen(
      input: end,
      output: end,
      options: ScreenOptions(entry: "xterm", size: Size(columns: 40, rows: 10))
    )
    #expect(screen.present(list(selected: 1, columns: 40, rows: 10)) == .painted)
    guard case .bytes(let bytes) = Descriptor(pair[0]).read() else {
      Issue.record("nothing painted on a socket")
      return
    }
    #expect(String(decoding: bytes, as: UTF8.self).contains("file-9-of"))
    signal(SIGPIPE, SIG_IGN)
    close(pair[0])
    #expect(screen.present(list(selected: 2, columns: 40, rows: 10)) == .gone)
    #expect(end.read() == .ended)
    screen.close()
    close(pair[1])
  }

  @Test func `bad descriptors and types are errors, not exits`() {
    let pty = Pty()
    #expect(throws: ScreenError.unusableType("no-such-terminal")) {
      try pty.screen("no-such-terminal")
    }
    #expect(throws: ScreenError.badDescriptor(EBADF)) {
      try CursesScreen(
        input: Descriptor(-1),
        output: Descriptor(-1),
        options: ScreenOptions(entry: "xterm")
      )
    }
  }

  @Test func `the terminfo database of this machine is asked`() {
    #expect(TerminalDatabase.entry("xterm") == .usable)
    #expect(TerminalDatabase.entry("dumb") == .withoutCursor)
    #expect(TerminalDatabase.entry("no-such-terminal") == .missing)
    #expect(
      TerminalDatabase.with("vt100") { TerminalDatabase.string("cup") }
        == "\u{1B}[%i%p1%d;%p2%dH".utf8.map { $0 }
    )
  }
}
