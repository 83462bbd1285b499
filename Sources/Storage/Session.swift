// SPDX-License-Identifier: Apache-2.0
//
// Session: all that is remembered, in `DIR/session.db` (SQLite, write-ahead log).
//
// Owns     the directory's lock, the connection and the prepared statements.
// Threads  one at a time; it may be handed on. It has no lock of its own.
// Holds    what `apply` returned for is on the disk. Logins and headers are nowhere but here.
// Never    writes to a file that is damaged or of a newer version; never writes the list whole.

internal import Glibc
public import Transfers

/// A change to what is remembered.
public enum SessionChange: Sendable {
  /// Adds a transfer at the end of the queue, or writes over what is known of it.
  case put(Transfer)
  /// Says how much was received today; another day's is forgotten.
  case use(DayUsage)
  /// Forgets a transfer; one that is not known is no error.
  case remove(TransferID)
  /// Changes the known blocks of a transfer, which has been put before.
  case blocks(TransferID, BlockChanges)
  /// Writes the log of a transfer over what is kept of it.
  case log(TransferID, [LogLine])
  /// Writes what is known of hosts over what was.
  case hosts([KnownHost])
  /// Puts these first, in this order; the others follow in their old order.
  case order([TransferID])
}

/// An open session.
public final class Session {
  /// The smallest id that no transfer of this session ever had.
  public private(set) var nextID: TransferID

  private let database: Database
  private let put: Statement
  private let advance: Statement
  private let remove: Statement
  private let place: Statement
  private var pieces: StoredPieces
  private let storedBlocks: StoredBlocks
  private var positions: Positions
  /// The requests that are on disk, in the boxes in which they came.
  private var requests: [TransferID: Shared<TransferRequest>] = [:]

  /// Opens the session in a directory, and creates both when missing.
  ///
  /// The directory gets mode 0700 (unless it holds other things as well) and the files 0600.
  /// Nobody else can open it until the last reference to this object is gone.
  ///
  /// - Parameter directory: Its path; the directories above are created too.
  /// - Returns: The session, for any one thread.
  /// - Throws: `SessionError`; nothing on the disk has been changed then but modes.
  public static func open(directory: String) throws(SessionError) -> sending Session {
    let place = SessionDirectory(directory)
    try place.prepare()
    let lock = try SessionLock(place.lock)
    if try place.size(place.database) == nil { try create(place, lock) }
    try place.restrictFiles()
    guard try place.size(place.database) != 0
    else { throw .damaged(path: place.database, detail: "it is empty") }
    let database = try Database(place.database, lock: lock)
    let found = try look(at: database)
    // What cannot be used in the end is not brought up to date either.
    return try database.transaction { () throws(SessionError) in
      try Schema.migrate(database, from: found)
      return try Session(database)
    }
  }

  private init(_ database: Database) throws(SessionError) {
    self.database = database
    put = try Statement(Schema.put, in: database)
    advance = try Statement(Schema.advance, in: database)
    remove = try Statement(Schema.remove, in: database)
    place = try Statement(Schema.place, in: database)
    pieces = try StoredPieces(database)
    storedBlocks = try StoredBlocks(database)
    // Where AUTOINCREMENT keeps the largest id there ever was.
    let largest = try database.number("SELECT max(seq) FROM sqlite_sequence")
    nextID = TransferID((largest ?? 0) + 1)
    positions = Positions(
      first: try database.number("SELECT min(position) FROM transfer") ?? 0,
      last: try database.number("SELECT max(position) FROM transfer") ?? 0
    )
  }

  /// Makes the database under another name first: an empty file under its own name is damage.
  private static func create(_ place: SessionDirectory, _ lock: SessionLock) throws(SessionError) {
    if let left = try place.size(place.journal), left > 0 {
      throw .damaged(path: place.database, detail: "it is missing, but its journal is there")
    }
    place.removeDraft()
    guard
      let draft = Descriptor(Glibc.open(place.draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
    else { throw .cannotOpen(path: place.draft, errno: errno) }
    _ = consume draft
    let database = try Database(place.draft, lock: lock)
    try database.transaction { () throws(SessionError) in
      try Schema.migrate(database, from: 0)
    }
    try place.adoptDraft()
  }

  /// Looks before it writes: the order matters to files that are not ours to change.
  ///
  /// - Returns: The version of the file, which is none newer than ours.
  private static func look(at database: Database) throws(SessionError) -> Int {
    database.setCheckpointOnClose(false)
    let found = Int(try database.number("PRAGMA user_version") ?? 0)
    guard try database.number("PRAGMA application_id") == Schema.applicationID
    else { throw .damaged(path: database.path, detail: "another program's database") }
    guard found > 0
    else { throw .damaged(path: database.path, detail: "it says version \(found)") }
    guard found <= Schema.version
    else { throw .newer(path: database.path, found: found, known: Schema.version) }
    let verdict = try database.text("PRAGMA quick_check(1)")
    guard verdict == "ok" else {
      // The first line only says which database is meant.
      let detail = verdict?.split(separator: "\n").last.map(String.init) ?? "no verdict"
      throw .damaged(path: database.path, detail: detail)
    }
    database.setCheckpointOnClose(true)
    // A file system without shared memory keeps the old journal, which is as durable.
    try database.run("PRAGMA temp_store = MEMORY; PRAGMA synchronous = FULL")
    try database.run("PRAGMA journal_mode = WAL")
    return found
  }

  /// How much was received on the last day that anything was; nil when nothing ever was.
  ///
  /// - Throws: `SessionError`.
  public func usage() throws(SessionError) -> DayUsage? {
    guard let day = try database.number("SELECT day FROM usage"),
      let received = try database.number("SELECT received FROM usage")
    else { return nil }
    return DayUsage(day: Int(day), received: ByteCount(received))
  }

  /// Gives an id that no transfer ever had; kept only once a transfer with it has been put.
  public func takeID() -> TransferID {
    defer { nextID = TransferID(nextID.number + 1) }
    return nextID
  }

  /// Reads every transfer.
  ///
  /// - Returns: The transfers in queue order; what was under way is queued.
  /// - Throws: `SessionError`.
  public func load() throws(SessionError) -> [Transfer] {
    let row = StoredRow(try Statement(Schema.load, in: database))
    var transfers: [Transfer] = []
    while try row.next() {
      do throws(UnreadableColumn) {
        var transfer = try row.transfer()
        pieces.give(to: &transfer)
        transfers.append(transfer)
      } catch {
        let detail = "transfer \(row.id) has an unreadable \(error.name)"
        throw SessionError.damaged(path: database.path, detail: detail)
      }
    }
    return transfers
  }

  /// Reads the known blocks of every transfer that has some.
  ///
  /// A row that makes no sense is left out: bytes without a hash are only less well proved.
  ///
  /// - Throws: `SessionError`.
  public func blocks() throws(SessionError) -> [TransferID: BlockMap] {
    try StoredBlocks.load(database)
  }

  /// Reads the logs that are kept.
  ///
  /// - Throws: `SessionError`.
  public func logs() throws(SessionError) -> [TransferID: [LogLine]] {
    try StoredLogs.load(database)
  }

  /// Reads what is known of hosts.
  ///
  /// - Throws: `SessionError`.
  public func hosts() throws(SessionError) -> [KnownHost] {
    try StoredHosts.load(database)
  }

  /// Writes changes, all or none, and returns when they are on the disk.
  ///
  /// About 10 µs a row and one `fsync`. After an error nothing has changed; the same changes can
  /// be given again.
  ///
  /// - Parameter changes: In the order in which they are to be made.
  /// - Throws: `SessionError`.
  public func apply(_ changes: [SessionChange]) throws(SessionError) {
    guard !changes.isEmpty else { return }
    var (positions, pieces) = (self.positions, self.pieces)
    try database.transaction { () throws(SessionError) in
      for change in changes { try apply(change, &positions, &pieces) }
    }
    (self.positions, self.pieces) = (positions, pieces)
    for change in changes { remember(change) }
  }

  /// Notes what is on disk now.
  private func remember(_ change: SessionChange) {
    switch change {
    case .put(let transfer):
      nextID = max(nextID, TransferID(transfer.id.number + 1))
      requests[transfer.id] = transfer.sharedRequest
    case .remove(let id): requests[id] = nil
    case .use, .blocks, .log, .hosts, .order: break
    }
  }

  /// Writes a whole row, or only what can have changed since the last time.
  private func put(_ transfer: Transfer, _ positions: inout Positions) throws(SessionError) {
    let id = transfer.id
    if requests[id]?.isSame(as: transfer.sharedRequest) == true {
      return try advance.run(transfer.storedProgress + [.number(id.number)])
    }
    // Nothing is known of it until the transaction has come to its end.
    requests[id] = nil
    let values = transfer.storedRequest + transfer.storedProgress
    try put.run(values + [.number(positions.afterLast())])
  }

  private func apply(
    _ change: SessionChange,
    _ positions: inout Positions,
    _ pieces: inout StoredPieces
  ) throws(SessionError) {
    switch change {
    case .put(let transfer):
      try put(transfer, &positions)
      try pieces.put(transfer)
    case .use(let usage):
      try Statement(Schema.use, in: database)
        .run([.number(Int64(usage.day)), .number(usage.received.bytes)])
    case .remove(let id):
      try remove.run([.number(id.number)])
      pieces.forget(id)
      requests[id] = nil
    case .blocks(let id, let changes):
      try storedBlocks.apply(changes, for: id)
    case .log(let id, let lines):
      try StoredLogs.put(lines, for: id, in: database)
    case .hosts(let hosts):
      try StoredHosts.put(hosts, in: database)
    case .order(let ids):
      for id in ids.reversed() {
        try place.run([.number(positions.beforeFirst()), .number(id.number)])
      }
    }
  }
}

/// The ends of the queue; places between them are never given twice.
private struct Positions {
  var first: Int64
  var last: Int64

  mutating func afterLast() -> Int64 {
    last += 1
    return last
  }

  mutating func beforeFirst() -> Int64 {
    first -= 1
    return first
  }
}
