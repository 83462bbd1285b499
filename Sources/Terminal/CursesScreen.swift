// SPDX-License-Identifier: Apache-2.0
//
// A canvas on a real terminal: the only code that paints with ncurses.
// It owns a screen of ncurses and two duplicated descriptors, and gives the terminal back exactly
// once. Main actor throughout. It never reads input, never waits for a full terminal, never asks
// the process for its own terminal: descriptors, type and size are handed in.

import CNcurses
public import Frames
import Glibc

/// A canvas on a real terminal.
@MainActor
public final class CursesScreen {
  private let output: Descriptor
  private let screen: OpaquePointer
  private let streams: ScreenStreams
  private let pasteMode: Bool
  private let cells: CellEncoder
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
    let opened = SignalDispositions.kept {
      newterm(options.entry, streams.output, streams.input)
    }
    guard let screen = opened else {
      streams.close()
      throw .unusableType(options.entry)
    }
    self.streams = streams
    self.screen = screen
    self.output = output
    savedSettings = settings
    pasteMode = !options.entry.hasPrefix("vt100")
    size = options.size ?? output.size ?? Size(columns: 80, rows: 24)
    cells = CellEncoder(palette: Palette(usesColor: options.usesColor), encoding: .current)
    restoreSequence = ControlSequence.restore(pasteMode: pasteMode)
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
    guard paint(canvas) else {
      forget()
      return .held
    }
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

  /// Asks the terminal how wide a block is, on the screen still blank before the first frame;
  /// `KeyDecoder.blockWidth` is the answer, if one comes.
  public func probeWidth() {
    guard isOpen, shown == nil, output.hasRoom, size.rows > 1 else { return }
    set_term(screen)
    wnoutrefresh(curses_window())
    doupdate()
    output.write(ControlSequence.widthProbe)
  }

  /// Gives the terminal back for a while; frames answer `gone` until `comeBack`.
  public func leave() {
    guard isOpen && !isAway else { return }
    isAway = true
    set_term(screen)
    output.endFlowStop()
    if output.hasRoom(within: 300) {
      if pasteMode { output.write(ControlSequence.pasteOff) }
      endwin()
    }
    if let savedSettings { output.apply(savedSettings) }
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

  /// Gives ncurses all rows that differ from those it was given last, and sends the difference.
  ///
  /// Large screens go in bands, so that no single write is much larger than what a terminal takes
  /// at once.
  ///
  /// - Returns: False if the terminal stopped taking output between two bands.
  private func paint(_ canvas: Canvas) -> Bool {
    let comparable = shown?.size == canvas.size ? shown : nil
    if comparable == nil { werase(curses_window()) }
    var band = 0
    for number in 0..<min(canvas.size.rows, size.rows) {
      if let comparable, comparable.row(number) == canvas.row(number) { continue }
      let row = canvas.row(number).prefix(size.columns)
      let encoded = cells.encode(row)
      mvwadd_wchnstr(curses_window(), Int32(number), 0, encoded, Int32(encoded.count))
      band += encoded.count
      guard band > Self.cellsInBand else { continue }
      band = 0
      send(canvas)
      if !output.hasRoom { return false }
    }
    send(canvas)
    return true
  }

  /// At most four bytes a cell keep a band below 16 KiB.
  private static let cellsInBand = 4000

  private func send(_ canvas: Canvas) {
    park(canvas)
    wnoutrefresh(curses_window())
    doupdate()
  }

  /// Leaves the hardware cursor where braille displays and magnifiers look for it.
  private func park(_ canvas: Canvas) {
    curs_set(canvas.showsCursor ? 1 : 0)
    let place = canvas.cursor ?? Position(row: size.rows - 1, column: 0)
    let row = min(max(0, place.row), max(0, size.rows - 1))
    let column = min(max(0, place.column), max(0, size.columns - 1))
    wmove(curses_window(), Int32(row), Int32(column))
  }
}
