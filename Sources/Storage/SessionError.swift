// SPDX-License-Identifier: Apache-2.0
//
// SessionError: why what is remembered cannot be read or written.
//
// Holds    one line for each case that says what to do.
// Never    stands for a loss: in every case the file on disk stays as it was.

internal import CSQLite
internal import Glibc

/// A session that cannot be opened, read or written.
public enum SessionError: Error, Hashable, Sendable {
  /// Another process has it; 0 when that one did not say its number.
  case heldBy(pid: Int32)
  /// The file is not what was written.
  case damaged(path: String, detail: String)
  /// A later version of winch wrote it: the version found, and the newest known here.
  case newer(path: String, found: Int, known: Int)
  /// A file or directory cannot be created or opened; the errno.
  case cannotOpen(path: String, errno: Int32)
  /// There is no room to write.
  case full(path: String)
  /// It cannot be written for another reason; nothing of the change has been made.
  case cannotWrite(path: String, detail: String)

  /// What happened and what to do, in one line.
  public var remedy: String {
    switch self {
    case .heldBy(0):
      "another winch has this session: use that one, end it, or choose another with --state DIR"
    case .heldBy(let pid):
      "another winch (process \(pid)) has this session: use that one, end it, or choose another"
        + " with --state DIR"
    case .damaged(let path, let detail):
      "the session \(path) is damaged (\(detail)): it is kept; move it away to begin a new one"
    case .newer(let path, let found, let known):
      "the session \(path) is of a newer winch (version \(found), here \(known)): it is kept;"
        + " update winch, or choose another with --state DIR"
    case .cannotOpen(let path, let code):
      "cannot open the session \(path) (\(words(code))): check it, or choose another with"
        + " --state DIR"
    case .full(let path):
      "no room to save the session \(path): free some space; nothing saved before is lost"
    case .cannotWrite(let path, let detail):
      "cannot save the session \(path) (\(detail)): check its permissions and disk; nothing saved"
        + " before is lost"
    }
  }
}

extension SessionError {
  /// The error behind an SQLite result code (https://www.sqlite.org/rescode.html).
  ///
  /// - Parameters:
  ///   - code: A result code, extended or not, other than OK, ROW and DONE.
  ///   - system: The errno that SQLite saw; 0 when none.
  ///   - detail: What SQLite says.
  ///   - path: The database.
  init(sqlite code: Int32, system: Int32, detail: String, path: String) {
    self =
      switch code & 0xFF {
      case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(path: path, detail: detail)
      case SQLITE_FULL: .full(path: path)
      case SQLITE_CANTOPEN: .cannotOpen(path: path, errno: system == 0 ? EIO : system)
      case SQLITE_IOERR where system == ENOSPC || system == EDQUOT: .full(path: path)
      default: .cannotWrite(path: path, detail: detail)
      }
  }
}

private func words(_ code: Int32) -> String {
  strerror(code).map { String(cString: $0) } ?? "error \(code)"
}
