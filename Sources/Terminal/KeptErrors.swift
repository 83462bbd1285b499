// SPDX-License-Identifier: Apache-2.0
//
// KeptErrors: what is written to standard error while the screen is open, kept in memory.
//
// The C library, others and the Swift runtime write there without asking; on the screen it would
// stand in the middle of the picture, and be gone with it.
//
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
  /// The most bytes that are given back; what came last is worth more.
  private static let limit = 16 * 1024

  /// Begins to keep; nil when standard error is no terminal, or the system has no room.
  public init?() {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    memory = curses_memory_file()
    real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3)
    guard memory >= 0, real >= 0, dup2(memory, STDERR_FILENO) >= 0 else { return nil }
    CrashGuard.keep(memory: memory, real: real)
  }

  /// Puts standard error back; call it when the terminal has been given back.
  ///
  /// - Returns: What was written meanwhile, at most its last 16 KiB; nothing when called again.
  public func release() -> [UInt8] {
    guard isKeeping else { return [] }
    isKeeping = false
    dup2(real, STDERR_FILENO)
    CrashGuard.keep(memory: -1, real: -1)
    let size = max(0, Int(lseek(memory, 0, SEEK_END)))
    var bytes = [UInt8](repeating: 0, count: min(size, Self.limit))
    let count = pread(memory, &bytes, bytes.count, off_t(size - bytes.count))
    close(memory)
    close(real)
    return Array(bytes.prefix(max(0, count)))
  }
}
