// SPDX-License-Identifier: Apache-2.0
//
// The system calls on a terminal's descriptor: read, write, poll, size, settings.
// It owns nothing; descriptors belong to whoever opened them. The render queue calls it, and none
// of its calls waits, except a write to a descriptor that was not asked for room first, and the
// wait for room when the terminal is given back.
// It never sets O_NONBLOCK: the flag would belong to everybody who shares the terminal.

import CNcurses
public import Frames
import Glibc

/// What reading from the terminal brought.
public enum Reading: Hashable, Sendable {
  /// Some bytes, at least one.
  case bytes([UInt8])
  /// Nothing at the moment.
  case nothing
  /// The terminal is gone: end of file, EIO or another error that stays.
  case ended
}

/// A descriptor of a terminal, or of a socket with a terminal at its other end.
public struct Descriptor: Hashable, Sendable {
  /// The number.
  public let number: Int32

  /// Names a descriptor without owning it.
  public init(_ number: Int32) { self.number = number }

  /// Whether it is a terminal (isatty(3)).
  public var isTerminal: Bool { isatty(number) == 1 }

  /// Whether this process may write to and set its terminal: it is in the foreground.
  ///
  /// True if it is not the controlling terminal, because then nobody stops us.
  public var isForeground: Bool {
    let group = tcgetpgrp(number)
    return group == -1 || group == getpgrp()
  }

  /// The size the terminal has (TIOCGWINSZ), nil if it has none or says zero.
  public var size: Size? {
    var window = winsize()
    guard ioctl(number, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
    guard window.ws_col > 0 && window.ws_row > 0 else { return nil }
    return Size(columns: Int(window.ws_col), rows: Int(window.ws_row))
  }

  /// Reads what is there, without waiting.
  ///
  /// - Parameter limit: The most bytes to read.
  /// - Returns: The bytes; several system calls are made while more is waiting, so that a paste
  ///   arrives in one piece where it can.
  public func read(limit: Int = 65536) -> Reading {
    var bytes: [UInt8] = []
    while bytes.count < limit, isReadable {
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = Glibc.read(number, &buffer, buffer.count)
      if count > 0 {
        bytes += buffer[..<count]
      } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
        return bytes.isEmpty ? .ended : .bytes(bytes)
      } else {
        break
      }
    }
    return bytes.isEmpty ? .nothing : .bytes(bytes)
  }

  /// Writes all bytes, waiting for room if need be.
  ///
  /// - Parameter bytes: What to write.
  /// - Returns: False if the other end is gone.
  @discardableResult
  public func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  /// Whether a read would return at once, or will within so many milliseconds.
  public func isReadable(within milliseconds: Int32) -> Bool {
    happened(POLLIN, within: milliseconds) != 0
  }

  /// Whether a read would return at once, with bytes or with the end.
  var isReadable: Bool { happened(POLLIN) != 0 }

  /// Whether the terminal takes output now: false while its buffer is full or Ctrl-S holds it.
  var hasRoom: Bool { hasRoom(within: 0) }

  /// Whether the terminal takes output within so many milliseconds.
  func hasRoom(within milliseconds: Int32) -> Bool {
    happened(POLLOUT, within: milliseconds) & Int16(POLLOUT) != 0
  }

  /// Lets output go on that Ctrl-S holds, so that the last bytes can be sent.
  func endFlowStop() { tcflow(number, TCOON) }

  /// Whether the other end is gone.
  var isHungUp: Bool { happened(0) & Int16(POLLHUP | POLLERR | POLLNVAL) != 0 }

  /// What poll(2) says, at once or within so many milliseconds.
  private func happened(_ wanted: Int32, within milliseconds: Int32 = 0) -> Int16 {
    var asked = pollfd(fd: number, events: Int16(wanted), revents: 0)
    return poll(&asked, 1, milliseconds) > 0 ? asked.revents : 0
  }

  /// The terminal's settings, nil if it is none.
  var settings: termios? {
    var settings = termios()
    return tcgetattr(number, &settings) == 0 ? settings : nil
  }

  /// Puts settings back at once: waiting for output to drain could take for ever.
  func apply(_ settings: termios) {
    var settings = settings
    tcsetattr(number, TCSANOW, &settings)
  }
}
