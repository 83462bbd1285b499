// SPDX-License-Identifier: Apache-2.0
//
// ScreenProgram, input: keys, signals and the end.
//
// Threads  the render queue.

import Dashboard
import Engine
import Frames
import Glibc
import Terminal
import Transfers
import Workers

extension ScreenProgram {
  /// Listens to the terminal and to signals.
  func listen() {
    keep(queue.onReadable(STDIN_FILENO) { ScreenProgram.running?.read() })
    keep(queue.onSignal(SIGINT) { ScreenProgram.running?.press([.control("c")]) })
    keep(queue.onSignal(SIGTSTP) { ScreenProgram.running?.suspend() })
    keep(queue.onSignal(SIGWINCH) { ScreenProgram.running?.resize() })
    keep(queue.onSignal(SIGTERM) { ScreenProgram.running?.end(.terminated) })
    keep(queue.onSignal(SIGHUP) { ScreenProgram.running?.end(.hungUp) })
  }

  private func keep(_ source: RenderSource) {
    permanent.append(source)
  }

  private func read() {
    guard !isEnding else { return }
    switch input.read() {
    case .bytes(let bytes):
      press(decoder.feed(bytes))
      fitSigns()
      waitForRest()
    case .nothing:
      break
    case .ended:
      end(.hungUp)
    }
  }

  /// Draws in ASCII where the terminal has said that a block takes two columns, as some do for
  /// East Asian users.
  private func fitSigns() {
    guard isProbing, let width = decoder.blockWidth else { return }
    isProbing = false
    guard width > 1 else { return }
    take(.redrawn(.asciiBesideWide))
    screen.repaint()
    paint()
  }

  /// Takes an answer that is still on its way: after the screen it would be keys for the shell.
  ///
  /// Only just after the start, and then for a moment; a terminal that does not answer costs no more.
  func takeLateAnswer() {
    while isProbing, decoder.blockWidth == nil, clock.now() - openedAt < .seconds(2),
      input.isReadable(within: 150),
      case .bytes(let bytes) = input.read()
    {
      _ = decoder.feed(bytes)
    }
  }

  /// Drops keys that were pressed before a question could be read.
  func dropTypedAhead() {
    guard case .bytes(let bytes) = input.read() else { return }
    _ = decoder.feed(bytes)
    waitForRest()
  }

  /// How long a lone Esc waits for the rest of a key, in milliseconds (ncurses(3X), ESCDELAY).
  private static let escapeDelay: Duration = {
    let asked = getenv("ESCDELAY").flatMap { Int64(String(cString: $0)) } ?? 50
    return .milliseconds(min(max(asked, 1), 10_000))
  }()

  /// A lone Esc, or a burst without its end, is complete after a moment of silence.
  private func waitForRest() {
    escapeWait?.cancel()
    escapeWait = nil
    guard decoder.isWaiting else { return }
    escapeWait = queue.afterDelay(Self.escapeDelay) {
      guard let program = ScreenProgram.running else { return }
      program.press(program.decoder.timeout())
    }
  }

  private func press(_ keys: [Key]) {
    for key in keys { take(.key(key)) }
    paint()
  }

  private func resize() {
    guard screen.resize() else { return }
    take(.resized(screen.size))
    paint()
  }
}

/// Why the screen ends.
enum ScreenEnding {
  /// The user quit.
  case done
  /// SIGTERM.
  case terminated
  /// The terminal is gone.
  case hungUp

  /// The exit status; signals as a shell tells them.
  var code: Int32 {
    switch self {
    case .done: ExitStatus.done.rawValue
    case .terminated: 128 + SIGTERM
    case .hungUp: 128 + SIGHUP
    }
  }
}

extension ScreenProgram {
  /// Gives the terminal back, stops and saves everything, and ends the process.
  func end(_ ending: ScreenEnding) {
    guard !isEnding else { return }
    isEnding = true
    for source in permanent + sources { source.cancel() }
    ticking?.cancel()
    if ending != .hungUp { takeLateAnswer() }
    screen.close()
    start.end()
    let told = errors?.release() ?? []
    if ending != .hungUp {
      summarize()
      for line in told.split(separator: 10) {
        Output.error.line(Sanitizer.shown(String(decoding: line, as: UTF8.self)))
      }
    }
    exit(ending.code)
  }

  /// What stays in the scrollback of the shell.
  private func summarize() {
    let transfers = start.engine.all()
    let unfinished = transfers.filter { !$0.state.isEnded }.count
    for transfer in transfers {
      if let line = ExitLine.words(transfer, since: startedAt) { Output.standard.line(line) }
    }
    if unfinished > 0 {
      let what = unfinished == 1 ? "1 download goes" : "\(unfinished) downloads go"
      Output.standard.line("\(what) on next time; start winch again.")
    }
  }
}
