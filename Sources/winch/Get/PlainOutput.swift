// SPDX-License-Identifier: Apache-2.0
//
// PlainOutput: puts the words of a PlainReport on standard error: lines with the time; on a terminal
// one line below them that is updated, elsewhere a summary every ten seconds.
//
// Threads  the render queue.
// Never    writes an escape sequence unless its output is a terminal.

import Dashboard
import Engine
import Frames
import Glibc
import Transfers

/// Lines on standard error.
@MainActor
struct PlainOutput {
  private static let summaryInterval = Duration.seconds(10)

  private let output: Output
  private let glyphs: Glyphs
  private let isLive: Bool
  private var report: PlainReport
  private var lastSummary: Moment
  private var lineIsOpen = false

  /// Makes an output for these transfers.
  init(_ output: Output, about ids: [TransferID], glyphs: Glyphs, now: Moment) {
    self.output = output
    self.glyphs = glyphs
    report = PlainReport(about: ids, glyphs: glyphs, local: EngineClock.system.local)
    isLive = output.isTerminal
    lastSummary = now
  }

  /// Whether the end of some has not been told.
  var isOpen: Bool { report.isOpen }

  /// Takes transfers in the place of one that is gone.
  mutating func replace(_ id: TransferID, by others: [TransferID]) {
    report.replace(id, by: others)
  }

  /// Takes transfers as an earlier run has left them and says which are there.
  mutating func know(_ transfers: [Transfer]) {
    let lines = transfers.compactMap { report.know($0) }
    if !lines.isEmpty { say(lines) }
  }

  /// Takes transfers as they are now and says what is new about them.
  mutating func follow(_ transfers: [Transfer], now: Moment) {
    let lines = transfers.compactMap { report.follow($0, now: now) }
    if !lines.isEmpty { say(lines) }
  }

  /// Takes the figures of what runs, once a second.
  mutating func sample(_ samples: [TransferSample], now: Moment) {
    report.sample(samples, now: now)
    if isLive {
      draw()
    } else if now - lastSummary >= Self.summaryInterval {
      lastSummary = now
      say(report.summary)
    }
  }

  /// Says something that is about no single transfer.
  mutating func tell(_ line: String) {
    clear()
    output.line("winch: \(line)")
  }

  /// Says how it ended.
  mutating func conclude(_ rest: String?) {
    clear()
    if let rest { say("\(report.conclusion)\(rest)") }
  }

  private mutating func say(_ line: String) {
    say([line])
  }

  /// All lines in one write: ten thousand small files end in a second.
  private mutating func say(_ lines: [String]) {
    clear()
    let time = Self.timeOfDay()
    output.line(lines.map { "\(time)  \($0)" }.joined(separator: "\n"))
  }

  private mutating func draw() {
    let width = max(10, output.columns - 1)
    let bar = report.bar(width: min(20, width / 4))
    let line = Shortened.end("\(bar) \(report.summary)", columns: width, glyphs: glyphs)
    output.text("\r\(line)\u{1B}[K")
    lineIsOpen = true
  }

  private mutating func clear() {
    guard lineIsOpen else { return }
    output.text("\r\u{1B}[K")
    lineIsOpen = false
  }

  private static func timeOfDay() -> String {
    var now = time(nil)
    var parts = tm()
    localtime_r(&now, &parts)
    return [parts.tm_hour, parts.tm_min, parts.tm_sec]
      .map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
  }
}
