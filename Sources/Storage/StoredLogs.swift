// SPDX-License-Identifier: Apache-2.0
//
// StoredLogs: the logs of transfers and what is known of hosts, each in a table of its own.
//
// Threads  the session's.
// Never    makes a session unreadable: a line or a host that makes no sense is left out.

internal import Transfers

/// Logs as rows, one for each transfer: a line for each line, its time before it.
enum StoredLogs {
  static func put(
    _ lines: [LogLine],
    for id: TransferID,
    in database: Database
  ) throws(SessionError) {
    let text = lines.map { "\($0.at.seconds) \(oneLine($0.text))" }.joined(separator: "\n")
    try Statement(Schema.putLog, in: database).run([.number(id.number), .text(text)])
  }

  static func load(_ database: Database) throws(SessionError) -> [TransferID: [LogLine]] {
    let row = try Statement(Schema.loadLogs, in: database)
    var found: [TransferID: [LogLine]] = [:]
    while try row.step() {
      guard let id = row.number(0), let text = row.text(1) else { continue }
      found[TransferID(id)] = text.utf8.split(separator: 10).compactMap { line(Substring($0)) }
    }
    return found
  }

  private static func line(_ text: Substring) -> LogLine? {
    guard let blank = text.firstIndex(of: " "), let seconds = Int64(text[..<blank])
    else { return nil }
    let words = String(text[text.index(after: blank)...])
    return LogLine(at: WallTime(seconds: seconds), text: words)
  }

  private static func oneLine(_ text: String) -> String {
    String(decoding: text.utf8.map { $0 == 10 || $0 == 13 ? 32 : $0 }, as: UTF8.self)
  }
}

/// Hosts as rows, few, written together.
enum StoredHosts {
  static func put(_ hosts: [KnownHost], in database: Database) throws(SessionError) {
    try database.run(Schema.removeHosts)
    let put = try Statement(Schema.putHost, in: database)
    for host in hosts {
      try put.run([
        .text(host.origin.scheme.rawValue), .text(host.origin.host),
        .number(Int64(host.origin.port)), Value(host.connections.map(Int64.init)),
        .number(host.learntAt.seconds), Value(host.heldUntil?.seconds),
      ])
    }
  }

  static func load(_ database: Database) throws(SessionError) -> [KnownHost] {
    let row = try Statement(Schema.loadHosts, in: database)
    var hosts: [KnownHost] = []
    while try row.step() {
      guard let scheme = row.text(0).flatMap(Scheme.init(rawValue:)), let name = row.text(1),
        let port = row.number(2).flatMap(Int.init(exactly:)), let learnt = row.number(4)
      else { continue }
      hosts.append(
        KnownHost(
          origin: Origin(scheme: scheme, host: name, port: port),
          connections: row.number(3).flatMap(Int.init(exactly:)).map { max(1, $0) },
          learntAt: WallTime(seconds: learnt),
          heldUntil: row.number(5).map { WallTime(seconds: $0) }
        )
      )
    }
    return hosts
  }
}
