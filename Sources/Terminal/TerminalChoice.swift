// SPDX-License-Identifier: Apache-2.0
//
// Whether there can be a full screen here, and which terminfo entry it uses.
// The decision is pure; `current` gathers the facts for it. ncurses' own way, `initscr`, would end
// the process on an unknown TERM.
// Runs once, at start, on the main thread.

import CNcurses
import Frames
import Glibc

/// What the terminfo database says about one name.
public enum TerminalEntry: Hashable, Sendable {
  /// There is no such entry.
  case missing
  /// The entry cannot place the cursor (no `cup`).
  case withoutCursor
  /// A full screen is possible.
  case usable
}

/// A full screen with a terminfo entry, or plain lines.
public enum TerminalChoice: Hashable, Sendable {
  /// A full screen.
  ///
  /// - entry: The terminfo entry to use.
  /// - note: One line for the user if it is not the one asked for, else nil.
  case fullScreen(entry: String, note: String?)
  /// Plain lines.
  ///
  /// - reason: One line that says why, and what to do about it.
  case plain(reason: String)

  /// Decides for two descriptors from the environment and the terminfo database.
  @MainActor
  public static func current(input: Descriptor, output: Descriptor) -> TerminalChoice {
    guard input.isTerminal && output.isTerminal else {
      return .plain(reason: "not a terminal: plain lines; run winch in a terminal for its screen")
    }
    guard output.isForeground else {
      return .plain(reason: "in the background: plain lines; start winch without & for its screen")
    }
    return choose(term: environment("TERM"), entry: TerminalDatabase.entry)
  }

  /// Decides for a name.
  ///
  /// - Parameters:
  ///   - term: The value of TERM, nil if it is not set.
  ///   - entry: Looks up a name in the terminfo database.
  /// - Returns: The exact entry if it is usable, else a known one that the terminal understands as
  ///   well, else vt100, else plain lines.
  public static func choose(term: String?, entry: (String) -> TerminalEntry) -> TerminalChoice {
    guard let term, !term.isEmpty else {
      return .plain(reason: "TERM is not set: plain lines; set it, as in TERM=xterm-256color winch")
    }
    let shown = Sanitizer.shown(term, in: .ascii)
    switch entry(term) {
    case .usable:
      return .fullScreen(entry: term, note: nil)
    case .withoutCursor:
      return .plain(
        reason: "TERM=\(shown) cannot place the cursor: plain lines; set TERM, as in TERM=vt100"
      )
    case .missing:
      break
    }
    guard
      let known = [kin(of: term), "vt100"].compactMap({ $0 }).first(where: { entry($0) == .usable })
    else {
      return .plain(reason: "TERM=\(shown) is unknown here: plain lines; install ncurses-term")
    }
    return .fullScreen(
      entry: known,
      note: "TERM=\(shown) is unknown here, using \(known); ncurses-term has it"
    )
  }

  /// The entry that a terminal missing from small databases understands as well.
  private static func kin(of term: String) -> String? {
    let starts = ["xterm-", "alacritty", "foot", "wezterm", "contour", "st-"]
    if term.contains("kitty") || term.contains("ghostty") { return "xterm-256color" }
    if starts.contains(where: term.hasPrefix) || term == "st" { return "xterm-256color" }
    if term.hasPrefix("tmux") || term.hasPrefix("screen") { return "screen-256color" }
    return nil
  }
}

/// The terminfo database of this machine.
@MainActor
enum TerminalDatabase {
  /// Looks a name up, and leaves no trace in ncurses.
  static func entry(_ name: String) -> TerminalEntry {
    with(name) { string("cup") == nil ? .withoutCursor : .usable } ?? .missing
  }

  /// Runs a body while a name's entry is the current one; nil if there is no such entry.
  static func with<Value>(_ name: String, _ body: () -> Value) -> Value? {
    let before = set_curterm(nil)
    defer { set_curterm(before) }
    var error: Int32 = 0
    guard setupterm(name, STDOUT_FILENO, &error) == OK, let entry = set_curterm(nil) else {
      return nil
    }
    set_curterm(entry)
    defer { del_curterm(entry) }
    return body()
  }

  /// A string capability of the current entry, without its padding; nil if it has none.
  static func string(_ capability: String) -> [UInt8]? {
    guard let found = capability.withCString({ tigetstr(UnsafeMutablePointer(mutating: $0)) }),
      Int(bitPattern: found) != -1
    else { return nil }
    return withoutPadding(Array(String(cString: found).utf8))
  }

  /// Takes out `$<…>`, terminfo(5)'s delays, which only tputs would understand.
  private static func withoutPadding(_ bytes: [UInt8]) -> [UInt8] {
    guard let start = bytes.firstIndex(of: UInt8(ascii: "$")),
      let end = bytes[start...].firstIndex(of: UInt8(ascii: ">")),
      bytes[start + 1] == UInt8(ascii: "<")
    else { return bytes }
    return Array(bytes[..<start]) + withoutPadding(Array(bytes[(end + 1)...]))
  }
}
