// SPDX-License-Identifier: Apache-2.0
//
// The terminal after a crash: a child process opens a screen on a terminal of ours and dies.

import Frames
import Glibc
import Terminal
import Testing

/// Opens a screen on a terminal and paints, as the program does before something goes wrong.
@MainActor
private func paint(on path: String) throws -> CursesScreen {
  setlocale(LC_CTYPE, "C.UTF-8")
  let terminal = Descriptor(open(path, O_RDWR | O_NOCTTY))
  let screen = try CursesScreen(
    input: terminal,
    output: terminal,
    options: ScreenOptions(entry: "xterm-256color")
  )
  var canvas = Canvas(size: screen.size)
  canvas.put("about to crash", at: Position(row: 0, column: 0))
  _ = screen.present(canvas)
  return screen
}

/// A process that stops itself as Ctrl-Z does, with a screen on a terminal of ours.
private func endOfProcessThatStops(on path: String) async {
  await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
    // In a group of its own, with a parent in the session that could continue it, it may stop.
    setpgid(0, 0)
    Descriptor(open(path, O_RDWR | O_NOCTTY)).write(Array("pid=\(getpid());".utf8))
    let screen = try await paint(on: path)
    await screen.suspend()
    let isBack = await screen.present(Canvas(size: Size(columns: 80, rows: 24))) == .painted
    await screen.close()
    exit(isBack ? 7 : 1)
  }
}

@Suite(.serialized) struct CrashTests {
  private let pty = Pty()

  private var path: String { String(cString: ttyname(pty.slave)) }

  /// Checks that the terminal is as it was, and that leaving the full screen came last.
  private func expectRestored(_ before: [UInt32]) {
    #expect(pty.settings() == before)
    let sent = pty.sentText()
    #expect(sent.contains("\u{1B}[?1049h") && sent.contains("about to crash"))
    let end = sent.suffix(200)
    for sequence in ["\u{1B}[?2004l", "\u{1B}[?1049l", "\u{1B}[?25h"] {
      #expect(end.contains(sequence), "missing \(sequence.dropFirst())")
    }
  }

  @Test func `a Swift trap gives the terminal back`() async {
    let before = pty.settings()
    await #expect(processExitsWith: .failure) { [path = path as String] in
      let screen = try await paint(on: path)
      let columns = await screen.size.columns
      precondition(columns == 0, "the trap under test")
    }
    expectRestored(before)
  }

  @Test func `what a crash says stands behind the picture`() async {
    await #expect(processExitsWith: .failure) { [path = path as String] in
      dup2(open(path, O_RDWR | O_NOCTTY), STDERR_FILENO)
      let screen = try await paint(on: path)
      let errors = await KeptErrors()
      await MainActor.run { _ = screen.isDirty }
      fatalError("the words of a crash, \(errors == nil)")
    }
    let sent = pty.sentText()
    #expect(occurrences(of: "the words of a crash, false", in: sent) == 1)
    let parts = sent.split(separator: "\u{1B}[?1049l", omittingEmptySubsequences: false)
    #expect(parts.count == 2 && parts.last?.contains("the words of a crash") == true, "\(sent)")
  }

  @Test func `of a flood of words the first and the last are kept, without the memory`() async {
    await #expect(processExitsWith: .success) { [path = path as String] in
      dup2(open(path, O_RDWR | O_NOCTTY), STDERR_FILENO)
      let told = await MainActor.run { () -> [UInt8] in
        guard let errors = KeptErrors() else { return [] }
        let line = Array(String(repeating: "x", count: 1023) + "\n")
        for number in 0..<2048 {
          let text = number == 0 ? "first\n" : number == 2047 ? "last\n" : String(line)
          _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
          if number % 64 == 0 { errors.trim() }
        }
        errors.trim()
        var facts = stat()
        fstat(STDERR_FILENO, &facts)
        precondition(facts.st_blocks * 512 <= 80 * 1024, "\(facts.st_blocks)")
        return errors.release()
      }
      let text = String(decoding: told, as: UTF8.self)
      precondition(text.hasPrefix("first\n") && text.hasSuffix("last\n"))
      let size = 2046 * 1024 + 11
      precondition(text.contains("\n... \(size - 64 * 1024) bytes left out ...\n"))
      precondition(told.count < 65 * 1024)
    }
  }

  @Test func `abort gives the terminal back`() async {
    let before = pty.settings()
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
      let screen = try await paint(on: path)
      await MainActor.run { _ = screen.isDirty }
      abort()
    }
    expectRestored(before)
  }

  @Test func `a bad pointer gives the terminal back`() async {
    let before = pty.settings()
    await #expect(processExitsWith: .signal(SIGSEGV)) { [path = path as String] in
      let screen = try await paint(on: path)
      await MainActor.run { _ = screen.isDirty }
      UnsafeMutablePointer<Int>(bitPattern: 16)?.pointee = 1
    }
    expectRestored(before)
  }

  @Test func `a crash after the terminal was given back sends nothing`() async {
    let before = pty.settings()
    await #expect(processExitsWith: .signal(SIGABRT)) { [path = path as String] in
      let screen = try await paint(on: path)
      await screen.close()
      abort()
    }
    #expect(pty.settings() == before)
    let sent = pty.sentText()
    #expect(occurrences(of: "\u{1B}[?1049l", in: sent) == 1)
  }

  @Test func `Ctrl-Z stops the process with the terminal given back, and it comes back`() async {
    let before = pty.settings()
    let path = path
    async let ended: Void = endOfProcessThatStops(on: path)
    var sent = ""
    let process = await stopped(&sent)
    #expect(pty.settings() == before)
    #expect(occurrences(of: "\u{1B}[?1049l", in: sent) == 1)
    kill(process, SIGCONT)
    await ended
    sent += pty.sentText()
    #expect(pty.settings() == before)
    #expect(occurrences(of: "\u{1B}[?1049h", in: sent) == 2)
    #expect(occurrences(of: "\u{1B}[?1049l", in: sent) == 2)
  }

  /// Waits until the process that wrote its number to the terminal is stopped.
  private func stopped(_ sent: inout String) async -> pid_t {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      sent += pty.sentText()
      let number = sent.split(separator: "pid=", maxSplits: 1).last?.prefix(while: \.isNumber)
      if let process = number.flatMap({ pid_t($0) }), isStopped(process) {
        sent += pty.sentText()
        return process
      }
      poll(nil, 0, 5)
    }
    Issue.record("nothing stopped: \(sent)")
    return 0
  }

  /// Whether a process is stopped, from the letter after its name in proc(5)'s `stat`.
  private func isStopped(_ process: pid_t) -> Bool {
    let file = open("/proc/\(process)/stat", O_RDONLY)
    guard file >= 0, case .bytes(let bytes) = Descriptor(file).read() else { return false }
    close(file)
    return String(decoding: bytes, as: UTF8.self).contains(") T ")
  }

  private func occurrences(of part: String, in text: String) -> Int {
    text.split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
