// SPDX-License-Identifier: Apache-2.0
//
// Gives the terminal back when the program crashes, before anything is reported.
// It owns the prepared bytes and settings that the handler in CNcurses uses; this is the only file
// that calls that handler's functions. One terminal at a time, the last one armed.
// Main thread; the handler itself runs on whichever thread crashes, and runs no Swift.

import CNcurses
import Glibc

/// Gives the terminal back when the program crashes.
///
/// Its functions are never inlined: each file they were inlined into would get a handler state of
/// its own.
@MainActor
enum CrashGuard {
  /// Prepares what a crash will send and set.
  ///
  /// The first call installs handlers for SEGV, ILL, TRAP, BUS, FPE and ABRT; they hand on to the
  /// handlers that were there before.
  ///
  /// - Parameters:
  ///   - descriptor: The terminal.
  ///   - bytes: What leaves the full screen; at most 512 bytes.
  ///   - settings: The settings to put back, nil if it is no terminal.
  @inline(never)
  static func arm(_ descriptor: Descriptor, bytes: [UInt8], settings: termios?) {
    bytes.withUnsafeBytes { raw in
      let start = raw.bindMemory(to: CChar.self).baseAddress
      guard var settings else {
        return curses_crash_arm(descriptor.number, start, raw.count, nil)
      }
      curses_crash_arm(descriptor.number, start, raw.count, &settings)
    }
  }

  /// Says where standard error is kept, so that a crash is told after the terminal is given back.
  ///
  /// - Parameters:
  ///   - memory: The file it goes to; -1 for none.
  ///   - real: The real standard error.
  @inline(never)
  static func keep(memory: Int32, real: Int32) { curses_crash_keep(memory, real) }

  /// The terminal has been given back; a crash leaves it alone.
  @inline(never)
  static func disarm() { curses_crash_disarm() }
}
