// SPDX-License-Identifier: Apache-2.0
//
// MigrationTests: files of earlier versions are taken over, files of later ones are left alone.

import CSQLite
import Glibc
import Testing
import Transfers

@testable import Storage

/// The layout of version 1, as it was released.
private let versionOne = """
  CREATE TABLE transfer (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    position INTEGER NOT NULL,
    added_at INTEGER NOT NULL,
    mirrors TEXT NOT NULL,
    directory TEXT NOT NULL,
    chosen_name TEXT,
    connections INTEGER,
    checksum TEXT,
    headers TEXT NOT NULL,
    rate_limit INTEGER,
    trust TEXT NOT NULL,
    state TEXT NOT NULL,
    failure_kind TEXT,
    failure_code INTEGER,
    failure_detail TEXT,
    finished_at INTEGER,
    verification TEXT,
    name TEXT,
    total INTEGER,
    entity_tag TEXT,
    last_modified TEXT,
    is_resumable INTEGER,
    device INTEGER,
    inode INTEGER,
    have TEXT NOT NULL
  ) STRICT;
  PRAGMA user_version = 1;
  PRAGMA application_id = 2003723112;
  """

/// A row as version 1 wrote it; its header has an escape byte, which version 1 let in.
private let row = """
  INSERT INTO transfer (
    position, added_at, mirrors, directory, headers, trust, state, have
  ) VALUES (
    1, 1700000000,
    'http://h/a' || char(9) || 'http' || char(9) || 'h' || char(9) || '80' || char(9) || '/a',
    '/d', 'X-A: a' || char(27) || '[2J' || char(127) || char(10) || 'X-B: b' || char(9) || 'c',
    'system', 'queued', ''
  )
  """

@Suite("Session: other versions")
struct MigrationTests {
  private let scratch = Scratch()

  private var state: String { scratch.path("state") }
  private var file: String { state + "/session.db" }

  init() {
    mkdir(scratch.path("state"), 0o700)
  }

  @Test("A file of version 1 is taken over with all its transfers, and can hold what is new")
  func versionOneIsTakenOver() throws {
    run(versionOne + ";" + row)
    var transfer = try #require(try Session.open(directory: state).load().first)
    #expect(transfer.id == TransferID(1))
    #expect(transfer.request.link.text == "http://h/a")
    #expect(transfer.request.cookieFile == nil)
    #expect(transfer.request.headers.map(\.name) == ["X-A", "X-B"])
    #expect(transfer.request.headers.map(\.value) == ["a[2J", "b\tc"])
    #expect(number("PRAGMA user_version") == Int64(Schema.version))
    #expect(try Session.open(directory: state).blocks().isEmpty)
    transfer.request.cookieFile = "/c"
    try Session.open(directory: state).apply([.put(transfer)])
    let session = try Session.open(directory: state)
    #expect(try session.load() == [transfer])
    #expect(session.nextID == TransferID(2))
    #expect(permissions(file) == 0o600)
  }

  @Test("A new file and one taken over have the same columns")
  func sameColumns() throws {
    run(versionOne)
    _ = try Session.open(directory: state)
    let count = "SELECT count(*) FROM pragma_table_info('transfer')"
    #expect(number(count) == Int64(Schema.columns.count) + 1)
  }

  @Test("A file of a later version is refused and kept byte for byte")
  func laterVersionIsRefused() throws {
    run(versionOne + "; PRAGMA user_version = \(Schema.version + 1)")
    let before = contents(file)
    let error = #expect(throws: SessionError.self) { try Session.open(directory: state) }
    #expect(error == .newer(path: file, found: Schema.version + 1, known: Schema.version))
    #expect(contents(file) == before)
  }

  @Test("An older file that cannot be used keeps its version and its tables")
  func whatCannotBeUsedStaysOld() throws {
    run(versionOne + "; ALTER TABLE transfer RENAME COLUMN headers TO other")
    #expect(throws: SessionError.self) { try Session.open(directory: state) }
    #expect(number("PRAGMA user_version") == 1)
    #expect(number("SELECT count(*) FROM sqlite_schema WHERE name = 'pieces'") == 0)
  }

  @Test("A file that says no version that ever was is damaged", arguments: [0, -1, -2_147_483_648])
  func impossibleVersions(version: Int) throws {
    run(versionOne + "; PRAGMA user_version = \(version)")
    let before = contents(file)
    let error = #expect(throws: SessionError.self) { try Session.open(directory: state) }
    #expect(error == .damaged(path: file, detail: "it says version \(version)"))
    #expect(contents(file) == before)
  }

  private func run(_ text: String) {
    withDatabase { #expect(sqlite3_exec($0, text, nil, nil, nil) == SQLITE_OK) }
  }

  private func number(_ text: String) -> Int64? {
    withDatabase { database in
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(database, text, -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW
      else { return nil }
      return sqlite3_column_int64(statement, 0)
    }
  }

  private func withDatabase<Result>(_ body: (OpaquePointer?) -> Result) -> Result {
    var database: OpaquePointer?
    defer { sqlite3_close_v2(database) }
    #expect(sqlite3_open(file, &database) == SQLITE_OK)
    return body(database)
  }
}
