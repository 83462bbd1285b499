// SPDX-License-Identifier: Apache-2.0
//
// DamagedSessionTests: what is not ours to change is reported, and stays as it is.

import CSQLite
import Glibc
import Testing
import Transfers

@testable import Storage

@Suite("Session: damaged, newer, not to be opened")
struct DamagedSessionTests {
  private let scratch = Scratch()

  private var state: String { scratch.path("state") }
  private var file: String { state + "/session.db" }

  init() throws {
    let session = try Session.open(directory: scratch.path("state"))
    try session.apply((1...200).map { .put(transfer($0)) })
  }

  @Test(
    "A damaged file is reported and kept byte for byte",
    arguments: ["zeros", "empty", "text", "half", "torn page"]
  )
  func damaged(_ damage: String) throws {
    let good = try #require(contents(file))
    let bad: [UInt8] =
      switch damage {
      case "zeros": [UInt8](repeating: 0, count: good.count)
      case "empty": []
      case "text": Array("this is not a database, not even remotely\n".utf8)
      case "half": Array(good.prefix(good.count / 2))
      default: good.prefix(8192) + [UInt8](repeating: 0x55, count: 4096) + good.dropFirst(12_288)
      }
    write(bad, to: file)
    let error = open()
    guard case .damaged(file, _) = error else {
      Issue.record("\(damage): \(String(describing: error))")
      return
    }
    #expect(contents(file) == bad)
    #expect(error?.remedy.contains(file) == true)
    #expect(error?.remedy.contains("\n") == false)
  }

  @Test("A newer file is refused and kept byte for byte, with its journal")
  func newer() throws {
    do {
      let connection = try Connection(file)
      connection.run("PRAGMA user_version = 99")
      connection.keepJournal()
    }
    let before = contents(file)
    let journal = contents(file + "-wal")
    #expect(journal?.isEmpty == false)
    #expect(open() == .newer(path: file, found: 99, known: Schema.version))
    #expect(contents(file) == before)
    #expect(contents(file + "-wal") == journal)
  }

  @Test("Another program's database is not taken for a session")
  func foreign() throws {
    do { try Connection(file).run("PRAGMA application_id = 7") }
    #expect(open() == .damaged(path: file, detail: "another program's database"))
  }

  @Test("A missing file with its journal still there is damage, not a new session")
  func missing() throws {
    unlink(file)
    write([1], to: file + "-wal")
    guard case .damaged(file, _) = open() else {
      Issue.record("a new session was begun over an old journal")
      return
    }
    #expect(!exists(file))
    unlink(file + "-wal")
    #expect(open() == nil, "without a journal it is a new one")
  }

  @Test("A row that makes no sense is reported with its transfer and column")
  func unreadable() throws {
    do { try Connection(file).run("UPDATE transfer SET state = 'flying' WHERE id = 17") }
    let session = try Session.open(directory: state)
    let detail = "transfer 17 has an unreadable state"
    #expect(throws: SessionError.damaged(path: file, detail: detail)) { try session.load() }
  }

  @Test("A file in the way of the directory, or a link in the way of the file, is named")
  func inTheWay() throws {
    write([1], to: scratch.path("plain"))
    #expect(
      openError(scratch.path("plain/state"))
        == .cannotOpen(path: scratch.path("plain/state"), errno: ENOTDIR)
    )
    #expect(
      openError(scratch.path("plain")) == .cannotOpen(path: scratch.path("plain"), errno: ENOTDIR)
    )
    rename(file, scratch.path("elsewhere"))
    symlink("../elsewhere", file)
    #expect(open() == .cannotOpen(path: file, errno: ELOOP))
  }

  @Test("A change that fails half way is not made at all, and can be made again")
  func allOrNothing() throws {
    let session = try Session.open(directory: state)
    let before = try session.load()
    do {
      let connection = try Connection(file)
      connection.run(
        "CREATE TRIGGER stop BEFORE DELETE ON transfer BEGIN SELECT RAISE(FAIL, 'stop'); END"
      )
    }
    let changes: [SessionChange] = [.put(transfer(500)), .remove(TransferID(1))]
    #expect(throws: SessionError.cannotWrite(path: file, detail: "stop")) {
      try session.apply(changes)
    }
    #expect(try session.load() == before)
    do { try Connection(file).run("DROP TRIGGER stop") }
    try session.apply(changes)
    #expect(try session.load() == before.dropFirst() + [transfer(500)])
  }

  @Test("Every error has one line that says what to do")
  func remedies() {
    let errors: [SessionError] = [
      .heldBy(pid: 0), .heldBy(pid: 12), .damaged(path: "/p", detail: "d"),
      .newer(path: "/p", found: 3, known: 1), .cannotOpen(path: "/p", errno: EACCES),
      .full(path: "/p"), .cannotWrite(path: "/p", detail: "d"),
    ]
    #expect(Set(errors.map(\.remedy)).count == errors.count)
    #expect(errors.allSatisfy { $0.remedy.count > 40 && !$0.remedy.contains("\n") })
  }

  @Test(
    "SQLite's results become our errors",
    arguments: [
      (SQLITE_CORRUPT, 0, "damaged"), (SQLITE_CORRUPT | 1 << 8, 0, "damaged"),
      (SQLITE_NOTADB, 0, "damaged"), (SQLITE_FULL, 0, "full"), (SQLITE_IOERR, ENOSPC, "full"),
      (SQLITE_IOERR | 3 << 8, EDQUOT, "full"), (SQLITE_IOERR, EIO, "cannotWrite"),
      (SQLITE_READONLY, 0, "cannotWrite"), (SQLITE_BUSY, 0, "cannotWrite"),
      (SQLITE_CANTOPEN, EACCES, "cannotOpen"),
    ]
  )
  func results(_ code: Int32, _ system: Int32, _ expected: String) {
    let error = SessionError(sqlite: code, system: system, detail: "d", path: "/p")
    let found =
      switch error {
      case .damaged: "damaged"
      case .full: "full"
      case .cannotWrite: "cannotWrite"
      case .cannotOpen: "cannotOpen"
      case .heldBy, .newer: "other"
      }
    #expect(found == expected)
  }

  private func open() -> SessionError? { openError(state) }

  private func openError(_ directory: String) -> SessionError? {
    do throws(SessionError) {
      _ = try Session.open(directory: directory)
      return nil
    } catch {
      return error
    }
  }
}

/// Another program at the same database.
private struct Connection: ~Copyable {
  private let handle: OpaquePointer

  init(_ path: String) throws {
    var opened: OpaquePointer?
    #expect(sqlite3_open(path, &opened) == SQLITE_OK)
    handle = try #require(opened)
  }

  deinit { sqlite3_close_v2(handle) }

  func run(_ text: String) {
    #expect(sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK)
  }

  /// Leaves the journal when it closes, as a program that was killed does.
  func keepJournal() {
    #expect(winch_checkpoint_on_close(handle, 0) == SQLITE_OK)
  }
}
