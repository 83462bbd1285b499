// SPDX-License-Identifier: Apache-2.0
//
// A canvas on a real terminal: the only code that paints with ncurses.
// It owns a screen of ncurses and two duplicated descriptors, and gives the terminal back exactly
// once. Main actor throughout. It never reads input, never waits for a full terminal, never asks
// the process for its own terminal: descriptors, type and size are handed in.

import CNcurses
public import Frames
import Glibc

/// What became of a frame.
public enum Presented: Hashable, Sendable {
  /// It is on its way to the terminal.
  case painted
  /// It equals the last one; nothing was sent.
  case unchanged
  /// The terminal takes no output now; the frame was dropped, present again later.
  case held
  /// The terminal is gone, or has been given back.
  case gone
}

/// What a screen is opened with.
public struct ScreenOptions: Hashable, Sendable {
  /// The terminfo entry, as `TerminalChoice` found it.
  public var entry: String
  /// The size to begin with; nil asks the output descriptor.
  public var size: Size?
  /// Whether colours are wanted; attributes are always used.
  public var usesColor: Bool

  /// Creates options.
  public init(entry: String, size: Size? = nil, usesColor: Bool = true) {
    self.entry = entry
    self.size = size
    self.usesColor = usesColor
  }
}

/// Why there is no screen.
public enum ScreenError: Error, Hashable, Sendable {
  /// A descriptor could not be duplicated; holds errno.
  case badDescriptor(Int32)
  /// ncurses does not take the terminal type.
  case unusableType(String)
}

/// A canvas on a real terminal.
@MainActor
public final class CursesScreen {
  private let output: Descriptor
  private let screen: OpaquePointer
  private let streams: ScreenStreams
  private let pasteMode: Bool
  private let palette: Palette
  private let savedSettings: termios?
  private var shown: Canvas?
  private var isOpen = true
  private var isAway = false

  /// Columns and rows the terminal has.
  public private(set) var size: Size
  /// What leaves the full screen if the process ends without `close`: another process that holds
  /// the terminal writes it.
  public let restoreSequence: [UInt8]
  /// Whether a frame was dropped, so that the terminal shows an older one.
  public private(set) var isDirty = false

  /// Opens a full screen.
  ///
  /// Call `TextEncoding.adopt` first. The terminal is put into cbreak mode: its own signal and
  /// flow control keys stay.
  ///
  /// - Parameters:
  ///   - input: Where keys come from; ncurses only sets it up, it never reads.
  ///   - output: The terminal, or a socket with one at its other end.
  ///   - options: Type, size, colours.
  /// - Throws: `ScreenError` if there is no screen; the terminal is as it was.
  public init(
    input: Descriptor,
    output: Descriptor,
    options: ScreenOptions
  ) throws(ScreenError) {
    guard let streams = ScreenStreams(input: input, output: output) else {
      throw .badDescriptor(errno)
    }
    let settings = output.settings
    use_env(true)
    use_tioctl(true)
    guard let screen = newterm(options.entry, streams.output, streams.input) else {
      streams.close()
      throw .unusableType(options.entry)
    }
    self.streams = streams
    self.screen = screen
    self.output = output
    savedSettings = settings
    pasteMode = !options.entry.hasPrefix("vt100")
    size = options.size ?? output.size ?? Size(columns: 80, rows: 24)
    palette = Palette(usesColor: options.usesColor)
    restoreSequence = Self.restoreSequence(pasteMode: pasteMode)
    enter()
  }

  isolated deinit { close() }

  /// Settings of a fresh screen: keys at once, no echo, CR and LF apart, no stop for typeahead.
  private func enter() {
    cbreak()
    noecho()
    nonl()
    typeahead(-1)
    leaveok(curses_window(), false)
    adopt(size)
    arm()
    if pasteMode { output.write(ControlSequence.pasteOn) }
  }

  /// Puts a canvas on the screen; what lies outside the terminal is left out.
  ///
  /// ncurses compares it with what the terminal shows and sends the difference.
  public func present(_ canvas: Canvas) -> Presented {
    guard isOpen && !isAway && !output.isHungUp else { return .gone }
    if canvas == shown && !isDirty { return .unchanged }
    guard output.hasRoom else {
      isDirty = true
      return .held
    }
    set_term(screen)
    paint(canvas)
    park(canvas)
    wnoutrefresh(curses_window())
    doupdate()
    shown = canvas
    isDirty = false
    return .painted
  }

  /// Takes over the size the terminal has now, after SIGWINCH or when the size arrives otherwise.
  ///
  /// - Parameter newSize: The size; nil asks the output descriptor.
  /// - Returns: Whether it is another one, so that a new canvas is needed.
  @discardableResult
  public func resize(to newSize: Size? = nil) -> Bool {
    guard isOpen, let wanted = newSize ?? output.size, wanted != size else { return false }
    set_term(screen)
    adopt(wanted)
    return true
  }

  /// Lets the next frame repaint every cell, for a screen that something else has written to.
  public func repaint() {
    guard isOpen else { return }
    set_term(screen)
    curses_repaint_all()
    forget()
  }

  /// Asks the terminal to answer `ESC [ 0 n` once it has shown everything sent so far;
  /// `KeyDecoder.statusReports` counts the answers.
  public func requestStatusReport() {
    guard isOpen && !isAway && output.hasRoom else { return }
    output.write(ControlSequence.statusRequest)
  }

  /// Gives the terminal back for a while; frames answer `gone` until `comeBack`.
  public func leave() {
    guard isOpen && !isAway else { return }
    isAway = true
    set_term(screen)
    if pasteMode { output.write(ControlSequence.pasteOff) }
    endwin()
    CrashGuard.disarm()
  }

  /// Takes the terminal again after `leave`, at the size it has by now; the next frame is complete.
  public func comeBack() {
    guard isOpen && isAway else { return }
    isAway = false
    set_term(screen)
    reset_prog_mode()
    if let now = output.size { adopt(now) }
    forget()
    arm()
    if pasteMode { output.write(ControlSequence.pasteOn) }
  }

  /// Stops the process as Ctrl-Z does, with the terminal given back, and returns when it goes on.
  public func suspend() {
    leave()
    StopSignal.stopHere()
    comeBack()
  }

  /// Gives the terminal back for good.
  ///
  /// Further calls do nothing.
  public func close() {
    guard isOpen else { return }
    leave()
    isOpen = false
    set_term(screen)
    delscreen(screen)
    streams.close()
    if let savedSettings { output.apply(savedSettings) }
  }

  /// Resizes ncurses and forgets what was shown.
  private func adopt(_ wanted: Size) {
    size = wanted
    resizeterm(Int32(max(1, wanted.rows)), Int32(max(1, wanted.columns)))
    forget()
  }

  private func forget() {
    shown = nil
    isDirty = true
  }

  private func arm() {
    CrashGuard.arm(output, bytes: restoreSequence, settings: savedSettings)
  }

  /// Gives ncurses all rows that differ from those it was given last.
  private func paint(_ canvas: Canvas) {
    let comparable = shown?.size == canvas.size ? shown : nil
    if comparable == nil { werase(curses_window()) }
    for row in 0..<min(canvas.size.rows, size.rows) {
      if let comparable, comparable.row(row) == canvas.row(row) { continue }
      let cells = canvas.row(row).prefix(size.columns).compactMap(cursesCell)
      mvwadd_wchnstr(curses_window(), Int32(row), 0, cells, Int32(cells.count))
    }
  }

  /// One cell as ncurses wants it; nil for the right half of a wide character.
  private func cursesCell(_ cell: Cell) -> cchar_t? {
    if cell.isRightHalf { return nil }
    var text = [wchar_t(bitPattern: cell.base.value)]
    if cell.hasMarks { text += cell.marks.map { wchar_t(bitPattern: $0.value) } }
    text.append(0)
    var result = cchar_t()
    setcchar(&result, text, palette.attributes(cell.style), palette.pair(cell.style), nil)
    return result
  }

  /// Leaves the hardware cursor where braille displays and magnifiers look for it.
  private func park(_ canvas: Canvas) {
    curs_set(canvas.showsCursor ? 1 : 0)
    let place = canvas.cursor ?? Position(row: size.rows - 1, column: 0)
    let row = min(max(0, place.row), max(0, size.rows - 1))
    let column = min(max(0, place.column), max(0, size.columns - 1))
    wmove(curses_window(), Int32(row), Int32(column))
  }

  /// What leaves the full screen, from the current terminfo entry.
  private static func restoreSequence(pasteMode: Bool) -> [UInt8] {
    let paste = pasteMode ? ControlSequence.pasteOff : []
    return ["sgr0", "op", "rmkx", "cnorm", "rmcup"].reduce(paste) {
      $0 + (TerminalDatabase.string($1) ?? [])
    }
  }
}
