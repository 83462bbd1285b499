// SPDX-License-Identifier: Apache-2.0
//
// Schema: what the session's database looks like, version by version.
//
// Holds    one migration for each version; `user_version` counts those that were made.
// Never    changes a migration that has been released: another is added.

/// The layout of the session's database.
enum Schema {
  /// `PRAGMA application_id`: the letters `wnch`.
  static let applicationID: Int64 = 0x776E_6368

  /// The version this program writes.
  static var version: Int { migrations.count }

  /// The columns of a transfer, in the order in which they are bound and read.
  static let columns = requestColumns + progressColumns

  /// Who it is and what was asked for; hardly ever written a second time.
  private static let requestColumns = [
    "id", "added_at", "mirrors", "directory", "chosen_name", "connections", "checksum", "headers",
    "rate_limit", "trust", "cookie_file", "size", "finds_checksum", "schedule",
  ]

  /// What changes while it runs.
  private static let progressColumns = [
    "state", "failure_kind", "failure_code", "failure_detail", "finished_at", "verification",
    "name", "total", "entity_tag", "last_modified", "is_resumable", "device", "inode", "have",
    "answered_by", "new_link", "announced", "named_links", "repair",
    "document",
  ]

  /// Version 1; AUTOINCREMENT keeps an id that was ever stored from being given again.
  private static let transfers = """
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
    ) STRICT
    """

  /// Version 2; header values lose control bytes, which version 1 let in and nothing takes now.
  private static let cookies =
    "ALTER TABLE transfer ADD COLUMN cookie_file TEXT;"
    + (Array(1...8) + Array(11...31) + [127]).map { byte in
      "UPDATE transfer SET headers = replace(headers, char(\(byte)), '')"
    }.joined(separator: ";")

  /// Version 3: what a Metalink says.
  ///
  /// Digests of pieces are long and hardly ever change, so they have a row of their own that is
  /// not written again with the transfer's.
  private static let pieces = """
    ALTER TABLE transfer ADD COLUMN size INTEGER;
    CREATE TABLE pieces (
      transfer INTEGER PRIMARY KEY,
      algorithm TEXT NOT NULL,
      length INTEGER NOT NULL,
      digests TEXT NOT NULL
    ) STRICT;
    CREATE TRIGGER forget_pieces AFTER DELETE ON transfer BEGIN
      DELETE FROM pieces WHERE transfer = old.id;
    END
    """

  /// Version 4: of several links only the one that answered is known by its validators.
  private static let sources = "ALTER TABLE transfer ADD COLUMN answered_by TEXT"

  /// Version 5.
  private static let checksums =
    "ALTER TABLE transfer ADD COLUMN finds_checksum INTEGER NOT NULL DEFAULT 0"

  /// Version 6: a link given in place of the first, until it has shown that it has the file.
  private static let newLink = "ALTER TABLE transfer ADD COLUMN new_link TEXT"

  /// Version 7: when a transfer may run, and the bytes of the last day, in the one row there is.
  private static let schedules = """
    ALTER TABLE transfer ADD COLUMN schedule TEXT;
    CREATE TABLE usage (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      day INTEGER NOT NULL,
      received INTEGER NOT NULL
    ) STRICT
    """

  /// Version 8: the hashes of what is claimed, which go with their transfer.
  private static let blocks = """
    CREATE TABLE block (
      transfer INTEGER NOT NULL,
      lower INTEGER NOT NULL,
      upper INTEGER NOT NULL,
      hash INTEGER NOT NULL,
      PRIMARY KEY (transfer, lower)
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER forget_blocks AFTER DELETE ON transfer BEGIN
      DELETE FROM block WHERE transfer = old.id;
    END
    """

  /// Version 9: logs that are worth keeping, which go with their transfer, and hosts.
  private static let logs = """
    CREATE TABLE log (transfer INTEGER PRIMARY KEY, lines TEXT NOT NULL) STRICT;
    CREATE TRIGGER forget_log AFTER DELETE ON transfer BEGIN
      DELETE FROM log WHERE transfer = old.id;
    END;
    CREATE TABLE host (
      scheme TEXT NOT NULL,
      name TEXT NOT NULL,
      port INTEGER NOT NULL,
      connections INTEGER,
      learnt_at INTEGER NOT NULL,
      held_until INTEGER,
      PRIMARY KEY (scheme, name, port)
    ) STRICT, WITHOUT ROWID
    """

  /// Version 10: what servers said about a whole file, and how far a repair has come.
  private static let announced = """
    ALTER TABLE transfer ADD COLUMN announced TEXT;
    ALTER TABLE transfer ADD COLUMN named_links TEXT;
    ALTER TABLE transfer ADD COLUMN repair TEXT;
    ALTER TABLE pieces ADD COLUMN is_told INTEGER NOT NULL DEFAULT 0
    """

  /// Version 11: a document about a file that has still to be read.
  private static let document = "ALTER TABLE transfer ADD COLUMN document TEXT"

  private static let migrations = [
    transfers, cookies, pieces, sources, checksums, newLink, schedules, blocks, logs, announced,
    document,
  ]

  /// Brings a database to the present version; the caller's transaction makes it all or nothing.
  ///
  /// - Parameters:
  ///   - database: A database of ours, or one without tables.
  ///   - found: Its version; 0 for one without tables.
  /// - Throws: `SessionError`.
  static func migrate(_ database: Database, from found: Int) throws(SessionError) {
    for version in found..<version {
      try database.run(migrations[version])
      try database.run("PRAGMA user_version = \(version + 1)")
      try database.run("PRAGMA application_id = \(applicationID)")
    }
  }

  /// Writes a row; a new one gets the position that is bound last, an old one keeps its own.
  static var put: String {
    let names = columns.joined(separator: ", ")
    let marks = columns.map { _ in "?" }.joined(separator: ", ")
    let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
    return "INSERT INTO transfer (\(names), position) VALUES (\(marks), ?)"
      + " ON CONFLICT (id) DO UPDATE SET \(updates)"
  }

  /// Takes the values of `progressColumns`, then the id.
  static var advance: String {
    let updates = progressColumns.map { "\($0) = ?" }.joined(separator: ", ")
    return "UPDATE transfer SET \(updates) WHERE id = ?"
  }

  static let putPieces = "INSERT OR REPLACE INTO pieces VALUES (?, ?, ?, ?, ?)"
  static let removePieces = "DELETE FROM pieces WHERE transfer = ?"
  static let loadPieces = "SELECT transfer, algorithm, length, digests, is_told FROM pieces"

  static let putLog = "INSERT OR REPLACE INTO log (transfer, lines) VALUES (?, ?)"
  static let loadLogs = "SELECT transfer, lines FROM log"
  static let putHost = "INSERT OR REPLACE INTO host VALUES (?, ?, ?, ?, ?, ?)"
  static let removeHosts = "DELETE FROM host"
  static let loadHosts =
    "SELECT scheme, name, port, connections, learnt_at, held_until FROM host"

  static let use = "INSERT OR REPLACE INTO usage (id, day, received) VALUES (1, ?, ?)"
  static let remove = "DELETE FROM transfer WHERE id = ?"
  static let putBlock =
    "INSERT OR REPLACE INTO block (transfer, lower, upper, hash) VALUES (?, ?, ?, ?)"
  static let removeBlock = "DELETE FROM block WHERE transfer = ? AND lower = ?"
  static let place = "UPDATE transfer SET position = ? WHERE id = ?"

  static var load: String {
    "SELECT \(columns.joined(separator: ", ")) FROM transfer ORDER BY position, id"
  }

  static let loadBlocks = "SELECT transfer, lower, upper, hash FROM block"
}
