// SPDX-License-Identifier: Apache-2.0
//
// Header: what the whole list comes to: counts, speed and its recent past, bytes, time left, room.
// Holds    everything in one or two lines; where room is short the least important counts go first.

import Frames
import Transfers

/// The sums over the list as lines.
struct Header {
  let model: Model

  private var tally: Tally { model.transfers.tally }
  private var glyphs: Glyphs { model.glyphs }
  private var columns: Int { model.size.columns }

  /// Counts, speed and sparkline in one line.
  func drawFirst(on canvas: inout Canvas) {
    let isWide = columns >= 64
    let speed = isWide ? Figures.rate(model.speed) : Figures.narrowRate(model.speed, digits: 3)
    let hasSpeed = tally[.active] > 0
    let speedWidth = hasSpeed ? speed.utf8.count + 1 : 0
    let left = isWide ? wideCounts(columns - speedWidth) : shortCounts(columns - speedWidth - 10)
    canvas.put(" " + left, at: Position(row: 0, column: 0))
    guard hasSpeed else { return }
    let used = left.utf8.count + 1 + (isWide ? 2 : 0) + speedWidth
    let room = columns - used - 1
    let most = isWide ? min(32, max(12, 12 + (columns - 80) / 2)) : 12
    let spark = min(room, most) >= 4 ? min(room, most) : 0
    let end = isWide ? columns : min(columns, used + 1 + spark)
    let start = end - spark - (spark > 0 ? 1 : 0) - (speedWidth - 1)
    canvas.put(speed, at: Position(row: 0, column: start))
    drawSpark(spark, endingAt: end, on: &canvas)
  }

  private func drawSpark(_ width: Int, endingAt end: Int, on canvas: inout Canvas) {
    guard width > 0 else { return }
    let spark = Sparkline(samples: model.speeds, width: width)
    canvas.put(
      spark.text(glyphs),
      at: Position(row: 0, column: end - width),
      style: Style(.spark)
    )
  }

  /// Bytes, time left, room and how many run at once in one line.
  func drawSecond(on canvas: inout Canvas) {
    var column = 1
    func put(_ text: String, _ style: Style = .plain) {
      guard !text.isEmpty, column + text.utf8.count <= columns else { return }
      canvas.put(text, at: Position(row: 1, column: column), style: style)
      column += text.utf8.count + 3
    }
    if tally.total > 0 {
      let part = Figures.part(tally.received, of: tally.total)
      put("\(part)  \(Figures.percent(tally.received, of: tally.total))")
    }
    if tally[.active] > 0 { put("ETA \(timesLeft)") }
    if let limit = model.limit { put("limit \(Figures.rate(limit))") }
    if let space = model.freeSpace {
      put("free \(Figures.size(space))", Style(space < tally.rest ? .failed : .plain))
    }
    let jobs = model.shown(model.settings.jobs)
    let start = columns - TextWidth.columns(of: jobs)
    if start > column { canvas.put(jobs, at: Position(row: 1, column: start)) }
  }

  private var timesLeft: String {
    let active = Figures.timeLeft(timeLeft(tally.restOfActive))
    guard tally.restOfWaiting > 0 else { return active }
    return "\(active) (all \(Figures.timeLeft(timeLeft(tally.rest))))"
  }

  private func timeLeft(_ rest: ByteCount) -> Duration? {
    let speed = model.smoothSpeed.bytesPerSecond
    guard speed > 0 else { return nil }
    let seconds = rest.bytes / speed
    return seconds < 99 * 86_400 ? .seconds(seconds) : nil
  }

  /// Two lines of figures for a small screen.
  func drawSummary(on canvas: inout Canvas) {
    canvas.put(shortCounts(columns), at: Position(row: 0, column: 0))
    let isEmpty = model.transfers.isEmpty
    let second = isEmpty ? "a add ? help q quit" : figures(columns)
    canvas.put(second, at: Position(row: 1, column: 0))
  }

  /// One line of figures for the smallest screen.
  func drawOneLine(on canvas: inout Canvas) {
    canvas.put(figures(columns), at: Position(row: 0, column: 0))
  }

  /// Percent, speed, time left: as many of them as fit.
  private func figures(_ room: Int) -> String {
    guard !model.transfers.isEmpty else {
      return Shortened.end("empty", columns: room, glyphs: glyphs)
    }
    var parts = [Figures.percent(tally.received, of: tally.total)]
    if tally[.active] > 0 {
      parts.append(Figures.narrowRate(model.speed, digits: 3))
      parts.append(Figures.timeLeft(timeLeft(tally.restOfActive)))
    }
    return joined(parts, by: " ", columns: room)
  }

  private func wideCounts(_ room: Int) -> String {
    let parts = counts([.active, .waiting, .paused, .failed, .done], \.word)
    let line = joined(["winch"] + parts, by: "  ", columns: .max)
    return line.utf8.count + 2 < room ? line : shortCounts(room)
  }

  private func shortCounts(_ room: Int) -> String {
    joined(
      counts([.active, .failed, .waiting, .paused, .done], \.shortWord),
      by: " ",
      columns: room
    )
  }

  private func counts(_ groups: [Group], _ word: (Group) -> String) -> [String] {
    let counted = groups.filter { tally[$0] > 0 }.map { "\(tally[$0]) \(word($0))" }
    return counted.isEmpty ? ["empty"] : counted
  }

  /// As many of the parts as fit, from the first.
  private func joined(_ parts: [String], by separator: String, columns: Int) -> String {
    var line = ""
    for part in parts {
      let longer = line.isEmpty ? part : line + separator + part
      guard longer.utf8.count <= columns else { break }
      line = longer
    }
    return line
  }
}
