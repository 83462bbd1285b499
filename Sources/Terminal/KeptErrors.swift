// SPDX-License-Identifier: Apache-2.0
//
// KeptErrors: what is written to standard error while the screen is open, kept in memory.
//
// The C library, others and the Swift runtime write there without asking; on the screen it would
// stand in the middle of the picture, and be gone with it.
//
// Holds    its first and its last 32 KiB; `trim` gives the memory of what lies between back.
// Owns     the memory file and a duplicate of the real standard error.
// Threads  the main actor; others may write to standard error at any time.
// Never    touches a standard error that is no terminal.

import CNcurses
import Glibc

/// Standard error while the screen is open.
@MainActor
public final class KeptErrors {
  private let real: Int32
  private let memory: Int32
  private var isKeeping = true
  /// How much is kept of the beginning, where a fault shows first, and as much of the end.
  private static let end = Int(CURSES_KEPT_END)

  /// Begins to keep; nil when standard error is no terminal, or the system has no room.
  public init?() {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    memory = curses_memory_file()
    real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard memory >= 0, real >= 0, dup2(memory, STDERR_FILENO) >= 0 else { return nil }
    CrashGuard.keep(memory: memory, real: real)
  }

  /// Drops what lies between the beginning and the end that are kept; call it now and then.
  public func trim() {
    if isKeeping { curses_memory_trim(memory) }
  }

  /// Puts standard error back; call it when the terminal has been given back.
  ///
  /// - Returns: What was written meanwhile: its first and last 32 KiB, and between them how much is
  ///   left out; nothing when called again.
  public func release() -> [UInt8] {
    guard isKeeping else { return [] }
    isKeeping = false
    dup2(real, STDERR_FILENO)
    CrashGuard.keep(memory: -1, real: -1)
    let size = max(0, Int(lseek(memory, 0, SEEK_END)))
    let dropped = size - 2 * Self.end
    let told =
      dropped <= 0
      ? bytes(0..<size)
      : bytes(0..<Self.end) + Array("\n... \(dropped) bytes left out ...\n".utf8)
        + bytes(size - Self.end..<size)
    close(memory)
    close(real)
    return told
  }

  private func bytes(_ range: Range<Int>) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: range.count)
    let count = pread(memory, &bytes, bytes.count, off_t(range.lowerBound))
    return Array(bytes.prefix(max(0, count)))
  }
}
