// SPDX-License-Identifier: Apache-2.0
//
// PlainReport: what is said about transfers where there is no screen: lines at start, end, failure
// and retry of each, a summary in between, a conclusion.
//
// Holds    what was said last about each transfer, so that nothing is said twice.
// Never    writes anything, and lets nothing from outside through unsanitised.

public import Frames
public import Transfers

/// The words of a run without a screen.
public struct PlainReport: Sendable {
  private struct Known {
    var state: TransferState?
    var total: ByteCount?
    var startedAt: Moment?
    /// The bytes that an earlier run brought and this one has kept.
    var kept: ByteCount = 0
  }

  private let glyphs: Glyphs
  private let local: LocalClock
  private var known: [TransferID: Known]
  private var running: [TransferID: TransferSample] = [:]
  private var ended = Ended()
  private var speed = SpeedEstimator()

  /// Counts of what has ended, and the bytes behind them.
  private struct Ended {
    var finished = 0
    var failed = 0
    var received: ByteCount = 0
  }

  /// Makes a report about these transfers and no others, with times as the user's clock shows them.
  public init(
    about ids: [TransferID],
    glyphs: Glyphs,
    local: @escaping LocalClock = { LocalTime($0) }
  ) {
    self.glyphs = glyphs
    self.local = local
    known = Dictionary(uniqueKeysWithValues: ids.map { ($0, Known()) })
  }

  /// Whether the end of some has not been told.
  public var isOpen: Bool { ended.finished + ended.failed < known.count }

  /// Takes transfers in the place of one that is gone.
  public mutating func replace(_ id: TransferID, by others: [TransferID]) {
    known[id] = nil
    for other in others where known[other] == nil { known[other] = Known() }
  }

  /// Takes a transfer as an earlier run has left it.
  ///
  /// - Returns: A line to say about it if it is finished, without the time.
  public mutating func know(_ transfer: Transfer) -> String? {
    guard transfer.state.isFinished else {
      if known[transfer.id]?.state == nil { known[transfer.id]?.kept = transfer.received }
      return nil
    }
    known[transfer.id] = Known(state: transfer.state, total: transfer.total)
    count(transfer, before: nil)
    return "there   \(Sanitizer.shown(transfer.name))  \(Figures.size(transfer.received))"
  }

  /// Takes a transfer as it is now.
  ///
  /// - Returns: A line to say about it, without the time, or nil.
  public mutating func follow(_ transfer: Transfer, now: Moment) -> String? {
    guard var seen = known[transfer.id] else { return nil }
    let before = seen.state
    if seen.startedAt == nil, transfer.state.isActive { seen.startedAt = now }
    seen.state = transfer.state
    seen.total = transfer.total
    // A file that begins anew has dropped what was kept.
    seen.kept = min(seen.kept, transfer.received)
    known[transfer.id] = seen
    guard before != transfer.state else { return nil }
    count(transfer, before: before)
    let took = now - (seen.startedAt ?? now)
    return PlainLine(transfer, took: took, kept: seen.kept, local: local).text(after: before)
  }

  /// Takes the figures of what runs, once a second.
  public mutating func sample(_ samples: [TransferSample], now: Moment) {
    running = Dictionary(uniqueKeysWithValues: samples.map { ($0.id, $0) })
    speed.add(received, at: now)
  }

  private mutating func count(_ transfer: Transfer, before: TransferState?) {
    if transfer.state.isFinished {
      running[transfer.id] = nil
      ended.finished += 1
      ended.received += transfer.received
    } else if PlainLine.isFailure(transfer.state) {
      ended.failed += 1
    } else if let before, PlainLine.isFailure(before) {
      ended.failed -= 1
    }
  }
}

extension PlainReport {
  private var received: ByteCount {
    running.values.reduce(ended.received) { $0 + $1.received }
  }

  /// All bytes of the transfers whose length is known; nil while some are not.
  private var total: ByteCount? {
    var sum: ByteCount = 0
    for seen in known.values {
      guard let total = seen.total else { return nil }
      sum += total
    }
    return sum
  }

  /// One line about everything: `3 active, 2 waiting, 8%, 23.6 MiB/s, ETA 0:46`.
  public var summary: String {
    let waiting = known.count - ended.finished - ended.failed - running.count
    var parts = ["\(running.count) active"]
    if waiting > 0 { parts.append("\(waiting) waiting") }
    if ended.failed > 0 { parts.append("\(ended.failed) failed") }
    if known.count > 1, ended.finished > 0 { parts.append("\(ended.finished) done") }
    if let total { parts.append(Figures.percent(received, of: total)) }
    parts.append(Figures.rate(speed.rate ?? 0))
    if let total { parts.append("ETA \(Figures.timeLeft(speed.timeLeft(for: total - received)))") }
    return parts.joined(separator: ", ")
  }

  /// A bar over everything, or as many blanks while the length is not known.
  public func bar(width: Int) -> String {
    guard let total else { return String(repeating: " ", count: max(0, width)) }
    return ProgressBar(done: received.bytes, total: total.bytes, width: width).text(glyphs)
  }

  /// How it ended, with the bytes of what arrived and of what still ran: `7 of 8 arrived, 512 MiB`.
  public var conclusion: String {
    "\(ended.finished) of \(known.count) arrived, \(Figures.size(received))"
  }
}
