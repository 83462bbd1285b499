// SPDX-License-Identifier: Apache-2.0
//
// TransferLog: the last lines of one transfer's log, and what of them the session has to keep.
//
// Holds    a log is kept once it tells more than the plain course, or its run has lasted for a while;
//          from then on every line is, as it comes.
// Threads  a value under the engine's lock.

import Transfers

/// One thing in a transfer's log; its words are made when somebody reads it.
struct LogEntry {
  enum Matter {
    case event(TransferEvent)
    case note(String)
    case exchange(ExchangeRecord)
    /// A line of an earlier program.
    case kept(LogLine)
  }

  let at: WallTime
  let matter: Matter

  /// The line for people; nil for what is not worth one.
  var line: LogLine? {
    switch matter {
    case .event(let event): event.logText.map { LogLine(at: at, text: $0) }
    case .note(let text): LogLine(at: at, text: text)
    case .exchange(let record): LogLine(at: at, text: record.text)
    case .kept(let line): line
    }
  }

  /// Whether it is more than the plain course of things, so that the log is worth keeping.
  var isNotable: Bool {
    switch matter {
    case .event(let event): event.isNotable
    case .note: true
    case .exchange(let record): !record.isPlain
    case .kept: false
    }
  }
}

/// What the session does not know yet of a log.
struct LogNews {
  /// The last lines, also those that it knows.
  let entries: [LogEntry]
  /// How many there ever were.
  let count: Int
}

/// The log of one transfer.
struct TransferLog {
  /// The last lines.
  private(set) var entries: [LogEntry]
  /// Whether the session keeps it.
  private(set) var isKept: Bool
  /// How many lines there ever were.
  private var count = 0
  /// How many of them the session knows.
  private var known = 0

  /// How many lines are kept.
  static let limit = 50

  /// Begins with what a session kept.
  init(_ kept: [LogLine] = []) {
    entries = kept.suffix(Self.limit).map { LogEntry(at: $0.at, matter: .kept($0)) }
    isKept = !kept.isEmpty
  }

  /// What has to be written; nil when there is nothing new, or nothing worth keeping.
  var news: LogNews? {
    isKept && count > known ? LogNews(entries: entries, count: count) : nil
  }

  /// Adds a line.
  mutating func note(_ line: LogEntry) {
    if entries.count >= Self.limit { entries.removeFirst(entries.count - Self.limit + 1) }
    entries.append(line)
    count += 1
    if line.isNotable { isKept = true }
  }

  /// Says that it is worth keeping, whatever it tells.
  mutating func keep() {
    isKept = true
  }

  /// Notes that the session knows that many lines.
  mutating func stored(_ count: Int) {
    known = max(known, count)
  }
}
