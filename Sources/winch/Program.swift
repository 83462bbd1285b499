// SPDX-License-Identifier: Apache-2.0
//
// Program: which command runs, on which thread, and how the process ends.
//
// Threads  the main thread; after the command is set up it serves the main dispatch queue for good.
// Never    returns: the command ends the process with an `ExitStatus`.

import Connections
import Dispatch
import Engine
import Frames
import Glibc
import Terminal

/// The program as a whole.
@MainActor
enum Program {
  /// winch's version.
  nonisolated static let version = "0.1.0"

  /// Runs a command line to the end of the process.
  static func run(_ arguments: [String]) -> Never {
    ProcessLimits.adjust()
    let encoding = TextEncoding.adopt()
    let options = understood(arguments)
    switch options.command {
    case .version:
      Output.standard.line("winch \(version)")
      exit(.done)
    case .help:
      Output.standard.text(Help.text)
      exit(.done)
    case .get:
      checkCookies(options)
      GetProgram.launch(options, encoding, note: nil)
    case .screen:
      checkCookies(options)
      startScreen(options, encoding)
    }
    dispatchMain()
  }

  /// Ends the process.
  static func exit(_ status: ExitStatus) -> Never {
    Glibc.exit(status.rawValue)
  }

  /// Says one line about what is wrong and ends the process.
  static func fail(_ line: String, _ status: ExitStatus = .failed) -> Never {
    Output.error.line("winch: \(line)")
    exit(status)
  }

  private static func understood(_ arguments: [String]) -> Options {
    do throws(OptionError) {
      let clock = EngineClock.system
      return try Options(parsing: arguments).resolved(against: workingDirectory)
        .resolved(now: clock.wall(), local: clock.local)
    } catch {
      fail(error.line, .usage)
    }
  }

  private static func checkCookies(_ options: Options) {
    guard let path = options.cookieFile else { return }
    do throws(CookieFileError) {
      try CookieFile.check(path)
    } catch {
      fail("--cookies \(Sanitizer.shown(path)): \(error.line)", .usage)
    }
  }

  /// Opens the screen, or fetches without one where there can be none.
  private static func startScreen(_ options: Options, _ encoding: TextEncoding) {
    let choice = TerminalChoice.current(
      input: Descriptor(STDIN_FILENO),
      output: Descriptor(STDOUT_FILENO)
    )
    switch choice {
    case .fullScreen(let entry, let note):
      ScreenProgram.launch(options, encoding, entry: entry, note: note)
    case .plain(let reason):
      guard !options.links.isEmpty || !options.lists.isEmpty else { fail(reason, .usage) }
      GetProgram.launch(options, encoding, note: reason)
    }
  }

  private static var workingDirectory: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }
}
