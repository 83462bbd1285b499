// SPDX-License-Identifier: Apache-2.0
//
// Database: one SQLite connection and what can be done with it as a whole.
//
// Owns     the connection, and with it the session's lock, so that the lock ends after it.
// Threads  one at a time (SQLITE_OPEN_NOMUTEX).
// Never    creates the file: who opens it has made sure that it is there, and no link.

internal import CSQLite

/// An open SQLite database.
final class Database {
  let path: String
  fileprivate let handle: OpaquePointer
  private let lock: SessionLock

  /// Opens the file.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - lock: Kept as long as the connection.
  /// - Throws: `SessionError`.
  init(_ path: String, lock: SessionLock) throws(SessionError) {
    // Not SQLITE_OPEN_NOFOLLOW: that refuses a link anywhere on the way, such as /home itself.
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
    var opened: OpaquePointer?
    let result = sqlite3_open_v2(path, &opened, flags, nil)
    guard let opened else { throw .cannotWrite(path: path, detail: "out of memory") }
    guard result == SQLITE_OK else {
      let error = SessionError(sqlite: result, connection: opened, path: path)
      sqlite3_close_v2(opened)
      throw error
    }
    self.path = path
    self.lock = lock
    handle = opened
    sqlite3_busy_timeout(handle, 2000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// Whether the last close may move the journal into the file.
  func setCheckpointOnClose(_ isOn: Bool) {
    _ = winch_checkpoint_on_close(handle, isOn ? 1 : 0)
  }

  /// Runs one or several statements whose rows do not matter.
  func run(_ text: String) throws(SessionError) {
    try check(sqlite3_exec(handle, text, nil, nil, nil))
  }

  /// The first column of the first row.
  func number(_ text: String) throws(SessionError) -> Int64? {
    let statement = try Statement(text, in: self)
    return try statement.step() ? statement.number(0) : nil
  }

  /// The first column of the first row.
  func text(_ text: String) throws(SessionError) -> String? {
    let statement = try Statement(text, in: self)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Runs `body` in one transaction; on an error nothing of it has happened.
  func transaction<Value>(
    _ body: () throws(SessionError) -> Value
  ) throws(SessionError) -> Value {
    try run("BEGIN IMMEDIATE")
    do {
      let value = try body()
      try run("COMMIT")
      return value
    } catch {
      // A full disk may have rolled back already, and then there is nothing left to end.
      if sqlite3_get_autocommit(handle) == 0 { _ = sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
      throw error
    }
  }

  fileprivate func check(_ code: Int32) throws(SessionError) {
    switch code {
    case SQLITE_OK, SQLITE_ROW, SQLITE_DONE: return
    default: throw SessionError(sqlite: code, connection: handle, path: path)
    }
  }
}

extension SessionError {
  fileprivate init(sqlite code: Int32, connection: OpaquePointer, path: String) {
    let detail = sqlite3_errmsg(connection).map { String(cString: $0) } ?? "error \(code)"
    self.init(
      sqlite: code,
      system: sqlite3_system_errno(connection),
      detail: detail,
      path: path
    )
  }
}

/// A prepared statement, kept for many runs.
struct Statement: ~Copyable {
  private let handle: OpaquePointer
  private let database: Database

  init(_ text: String, in database: Database) throws(SessionError) {
    var prepared: OpaquePointer?
    let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
    try database.check(sqlite3_prepare_v3(database.handle, text, -1, flags, &prepared, nil))
    guard let prepared else { throw .cannotWrite(path: database.path, detail: "no statement") }
    handle = prepared
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Goes to the next row; false after the last.
  func step() throws(SessionError) -> Bool {
    let code = sqlite3_step(handle)
    try database.check(code)
    return code == SQLITE_ROW
  }

  /// Binds values to the parameters in order, runs it to its end, and makes it ready again.
  func run(_ values: [Value]) throws(SessionError) {
    defer { sqlite3_reset(handle) }
    for (index, value) in values.enumerated() {
      try database.check(bind(value, to: Int32(index + 1)))
    }
    while try step() {}
  }

  private func bind(_ value: Value, to parameter: Int32) -> Int32 {
    switch value {
    case .null: return sqlite3_bind_null(handle, parameter)
    case .number(let number): return sqlite3_bind_int64(handle, parameter, number)
    case .text(var text):
      return text.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { characters in
          winch_bind_text(handle, parameter, characters.baseAddress, Int32(characters.count))
        }
      }
    }
  }

  /// A column of the present row, from 0; nil when it is NULL.
  func number(_ column: Int) -> Int64? {
    guard sqlite3_column_type(handle, Int32(column)) != SQLITE_NULL else { return nil }
    return sqlite3_column_int64(handle, Int32(column))
  }

  /// A column of the present row, from 0; nil when it is NULL.
  func text(_ column: Int) -> String? {
    guard let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, Int32(column)))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }
}

/// A value for a parameter.
enum Value: Equatable {
  case null
  case number(Int64)
  case text(String)

  init(_ number: Int64?) {
    self = number.map { .number($0) } ?? .null
  }

  init(_ text: String?) {
    self = text.map { .text($0) } ?? .null
  }
}
