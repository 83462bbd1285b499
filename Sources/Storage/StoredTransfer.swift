// SPDX-License-Identifier: Apache-2.0
//
// StoredTransfer: a transfer as the row of `Schema.columns`, both ways.
//
// Holds    the order of the columns; each is written in `values` and read in `init` once.
// Never    guesses: a row that does not make sense is reported with the column's name.

internal import Transfers

extension Transfer {
  /// Who it is and what was asked for, in the order of `Schema.columns`.
  var storedRequest: [Value] {
    let request = request
    return [
      .number(id.number),
      .number(addedAt.seconds),
      .text(StoredText.text(request.mirrors)),
      .text(request.directory),
      Value(request.name),
      Value(request.connections.stored),
      Value(request.checksum?.text),
      .text(StoredText.text(request.headers)),
      Value(request.rateLimit?.bytesPerSecond),
      .text(StoredText.text(request.trust)),
      Value(request.cookieFile),
      Value(request.size?.bytes),
      .number(request.findsChecksum ? 1 : 0),
      Value(StoredText.text(request.schedule)),
    ]
  }

  /// How far it has come, in the order of `Schema.columns`.
  var storedProgress: [Value] {
    let (stored, answer) = (StoredState(state), answer)
    let links = answer?.announced.mirrors ?? []
    return [
      .text(stored.code.rawValue),
      Value(stored.failure?.kind.rawValue),
      Value((stored.failure?.code).map(Int64.init)),
      Value(stored.failure?.detail),
      Value(stored.finishedAt?.seconds),
      Value(stored.verification),
      Value(answer?.name),
      Value(answer?.total?.bytes),
      Value(answer?.validators.entityTag),
      Value(answer?.validators.lastModified),
      Value((answer?.isResumable).map { $0 ? 1 : 0 }),
      Value((file?.device).map { Int64(bitPattern: $0) }),
      Value((file?.inode).map { Int64(bitPattern: $0) }),
      .text(have.text),
      Value(answer?.source),
      Value(newLink.map { StoredText.text([$0]) }),
      Value(answer?.announced.checksum?.text),
      Value(links.isEmpty ? nil : StoredText.text(links)),
      Value(repair.map(StoredText.text)),
      Value((answer?.announced.document).map { StoredText.text([$0]) }),
    ]
  }
}

extension ConnectionLimit {
  /// The fixed number; nil for adaptive.
  fileprivate var stored: Int64? {
    switch self {
    case .adaptive: nil
    case .fixed(let number): Int64(number)
    }
  }
}

/// A column whose content makes no sense.
struct UnreadableColumn: Error {
  let name: String
}

/// Reads transfers out of rows.
struct StoredRow: ~Copyable {
  private let statement: Statement

  init(_ statement: consuming Statement) {
    self.statement = statement
  }

  /// Goes to the next row; false after the last.
  func next() throws(SessionError) -> Bool { try statement.step() }

  /// The id of the present row, for messages.
  var id: Int64 { statement.number(0) ?? 0 }

  /// The transfer in the present row.
  func transfer() throws(UnreadableColumn) -> Transfer {
    Transfer(
      id: TransferID(id),
      request: try request(),
      newLink: try optional(statement.text(29), 29) { StoredText.links($0)?.first },
      addedAt: WallTime(seconds: try required(statement.number(1), 1)),
      state: try state(),
      answer: try answer(),
      file: file,
      have: try required(statement.text(27).flatMap(ByteRangeSet.init(text:)), 27),
      repair: try optional(statement.text(32), 32, StoredText.repair)
    )
  }

  private func request() throws(UnreadableColumn) -> TransferRequest {
    TransferRequest(
      mirrors: try required(statement.text(2).flatMap(StoredText.links), 2),
      directory: try required(statement.text(3), 3),
      name: statement.text(4),
      connections: statement.number(5).map { .fixed(Int($0)) } ?? .adaptive,
      checksum: try optional(statement.text(6), 6) { try? Checksum(parsing: $0) },
      findsChecksum: try required(statement.number(12), 12) != 0,
      size: statement.number(11).map { ByteCount($0) },
      headers: try required(statement.text(7).flatMap(StoredText.headers), 7),
      rateLimit: statement.number(8).map { ByteRate($0) },
      schedule: try optional(statement.text(13), 13, StoredText.schedule) ?? Schedule(),
      trust: try required(statement.text(9).flatMap(StoredText.trust), 9),
      cookieFile: statement.text(10)
    )
  }

  private func state() throws(UnreadableColumn) -> TransferState {
    let code = try required(statement.text(14).flatMap(StoredState.Code.init(rawValue:)), 14)
    let kind = try optional(statement.text(15), 15) { FailureKind(rawValue: $0) }
    let failure = kind.map { kind in
      Failure(kind, code: Int(statement.number(16) ?? 0), detail: statement.text(17) ?? "")
    }
    let stored = StoredState(
      code: code,
      failure: failure,
      finishedAt: statement.number(18).map { WallTime(seconds: $0) },
      verification: statement.text(19)
    )
    return try required(stored.state, 14)
  }

  private func answer() throws(UnreadableColumn) -> Answer? {
    guard let name = statement.text(20) else { return nil }
    return Answer(
      name: name,
      total: statement.number(21).map { ByteCount($0) },
      validators: Validators(entityTag: statement.text(22), lastModified: statement.text(23)),
      isResumable: try required(statement.number(24), 24) != 0,
      source: statement.text(28),
      announced: Announced(
        checksum: try optional(statement.text(30), 30) { try? Checksum(parsing: $0) },
        mirrors: try optional(statement.text(31), 31, StoredText.links) ?? [],
        document: try optional(statement.text(33), 33) { StoredText.links($0)?.first }
      )
    )
  }

  private var file: FileIdentity? {
    guard let device = statement.number(25), let inode = statement.number(26) else { return nil }
    return FileIdentity(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode))
  }

  private func required<T>(_ value: T?, _ column: Int) throws(UnreadableColumn) -> T {
    guard let value else { throw UnreadableColumn(name: Schema.columns[column]) }
    return value
  }

  private func optional<T>(
    _ text: String?,
    _ column: Int,
    _ read: (String) -> T?
  ) throws(UnreadableColumn) -> T? {
    guard let text else { return nil }
    return try required(read(text), column)
  }
}
