// SPDX-License-Identifier: Apache-2.0
//
// DetailsFacts: what is known of one transfer as lines of label and fact.
// Holds    nothing unsanitised: every text from outside passes `Model.shown`.

import Frames
import Transfers

/// One line of the details.
enum DetailsLine: Hashable, Sendable {
  case blank
  case heading(String)
  case fact(label: String, text: String)
  case text(String)
  case styled(String, Style)

  /// Draws it into a row, cut to the screen.
  func draw(on canvas: inout Canvas, at line: Int, _ glyphs: Glyphs) {
    switch self {
    case .blank: break
    case .heading(let text): put(text, 1, Style(.plain, .bold), line, &canvas, glyphs)
    case .fact(let label, let text):
      put(label, 1, Style(.plain, .dim), line, &canvas, glyphs)
      put(text, Self.indent(canvas.size), .plain, line, &canvas, glyphs)
    case .text(let text): put(text, 0, .plain, line, &canvas, glyphs)
    case .styled(let text, let style): put(text, 1, style, line, &canvas, glyphs)
    }
  }

  /// Where the facts begin, right of the labels.
  private static func indent(_ size: Size) -> Int { size.columns < 40 ? 10 : 11 }

  /// The line as several where its fact is wider than the screen.
  func wrapped(_ size: Size) -> [DetailsLine] {
    guard case .fact(let label, let text) = self else { return [self] }
    let lines = Wrapped.lines(text, columns: size.columns - Self.indent(size))
    return lines.enumerated().map { .fact(label: $0 == 0 ? label : "", text: $1) }
  }

  private func put(
    _ text: String,
    _ column: Int,
    _ style: Style,
    _ line: Int,
    _ canvas: inout Canvas,
    _ glyphs: Glyphs
  ) {
    let short = Shortened.end(text, columns: canvas.size.columns - column, glyphs: glyphs)
    canvas.put(short, at: Position(row: line, column: column), style: style)
  }
}

/// The facts of one transfer.
struct DetailsFacts {
  let row: Row
  let model: Model

  private var transfer: Transfer { row.transfer }
  private var request: TransferRequest { row.transfer.request }

  var lines: [DetailsLine] {
    var lines = [DetailsLine.fact(label: "State", text: state)]
    if let trouble = row.trouble {
      lines.append(.fact(label: "", text: model.shown(trouble.advice)))
      if !trouble.detail.isEmpty {
        lines.append(.fact(label: "", text: model.shown(trouble.detail) + code(trouble)))
      }
    }
    if let hold = model.advice(on: row) { lines.append(.fact(label: "", text: hold)) }
    lines += sources
    lines.append(.fact(label: "Saved to", text: target))
    lines.append(.fact(label: "Size", text: size))
    lines.append(.fact(label: "Resume", text: resume))
    lines.append(.fact(label: "Checksum", text: checksum))
    if let limit = request.rateLimit {
      lines.append(.fact(label: "Limit", text: "\(Figures.rate(limit)) for this one"))
    }
    if let hours = request.schedule.hours {
      lines.append(.fact(label: "Hours", text: hours.text))
    }
    if row.isInsecure {
      lines.append(.fact(label: "Trust", text: "certificate not checked: anyone may answer"))
    }
    if Sanitizer.hasHiddenCharacters(transfer.name) {
      lines.append(.fact(label: "Name", text: "has hidden characters, shown as ?"))
    }
    return lines
  }

  private func code(_ failure: Failure) -> String {
    failure.code == 0 ? "" : " (\(failure.code))"
  }

  private var state: String {
    var parts = [row.reason(model, turn: turn) ?? "downloading"]
    if let count = row.live?.sample.connections.count, row.state.isActive {
      parts.append(Figures.counted(count, "connection"))
    }
    if row.state.isActive { parts.append("for \(Figures.clock(model.now - row.since))") }
    return parts.joined(separator: ", ")
  }

  private var turn: Int {
    1 + (model.transfers.place(of: row.id).map(model.transfers.waiting(before:)) ?? 0)
  }

  /// The links, each with what its server has shown, and the one that is to take their place.
  private var sources: [DetailsLine] {
    let sampled = row.live?.sample.sources ?? []
    let found = sampled.filter(\.isFound).map(\.link)
    let links = request.mirrors + found
    let lines = links.enumerated().map { index, link in
      let sample = sampled.first { $0.link == link }
      let text = model.shown(link.shown) + (sample.map(standing) ?? "")
      return index == 0
        ? DetailsLine.fact(label: "From", text: text) : .fact(label: "", text: "or \(text)")
    }
    guard let link = row.transfer.newLink else { return lines }
    return lines + [.fact(label: "New link", text: "\(model.shown(link.shown)), to be compared")]
  }

  private func standing(_ sample: SourceSample) -> String {
    let origin = sample.isFound ? ", named by the server" : ""
    switch sample.standing {
    case .unproven, .proven: return origin
    case .aside(let failure): return "\(origin), set aside: \(failure.short)"
    }
  }

  private var target: String {
    let folder = request.directory.hasSuffix("/") ? request.directory : request.directory + "/"
    return model.shown(model.path(folder + transfer.name))
  }

  private var size: String {
    guard let total = row.total else { return "\(Figures.size(row.received)) of unknown size" }
    if Group(row.state) == .done { return Figures.size(total) }
    let part = Figures.part(row.received, of: total)
    var text = "\(part) (\(Figures.exactPercent(row.received, of: total)))"
    if let speed = row.live?.speed { text += "   \(Figures.rate(speed))" }
    if let left = row.rest.flatMap({ row.live?.timeLeft(for: $0) }) {
      text += "   ETA \(Figures.timeLeft(left))"
    }
    return text
  }

  private var resume: String {
    guard let answer = transfer.answer else { return "not known before the first answer" }
    guard answer.isResumable else { return "no: the server does not send byte ranges" }
    let validators = answer.validators
    if let tag = validators.entityTag { return "yes (ETag \(model.shown(tag)))" }
    if let date = validators.lastModified { return "yes (unchanged since \(model.shown(date)))" }
    return "yes, but nothing tells whether the file changed"
  }

  private var checksum: String {
    let expected = request.checksum.map { "\($0.algorithm.shown) \($0.hex)" }
    if case .finished(let completion) = row.state {
      switch completion.verification {
      case .checked(let algorithm): return "\(expected ?? algorithm.shown), agrees"
      case .lengthOnly: return "none given; the length agrees"
      case .unverified: return "none given, and no length to compare"
      }
    }
    return expected.map { "\($0), compared at the end" } ?? "none given"
  }
}

// MARK: - Connections

extension DetailsFacts {
  /// One line for each connection: number, host, what it does, speed, bytes, its range.
  var connectionLines: [DetailsLine] {
    guard let live = row.live else { return [] }
    return live.sample.connections.map { connection in
      let speed = live.speed(ofConnection: connection.number).map(Figures.rate) ?? Figures.unknown
      let cells = [
        Alignment.trailing.fitted("\(connection.number)", to: 3, model.glyphs),
        Alignment.leading.fitted(word(connection.phase), to: 10, model.glyphs),
        Alignment.trailing.fitted(speed, to: 10, model.glyphs),
        Alignment.trailing.fitted(Figures.size(connection.received), to: 8, model.glyphs),
        Alignment.leading.fitted(span(connection.segment), to: 21, model.glyphs),
        model.shown(connection.host),
      ]
      return .text(cells.joined(separator: "  "))
    }
  }

  private func span(_ segment: ByteRange) -> String {
    let from = Figures.size(ByteCount(segment.lower))
    return segment.upper == .max
      ? "\(from) -" : "\(from) - \(Figures.size(ByteCount(segment.upper)))"
  }

  private func word(_ phase: ConnectionSample.Phase) -> String {
    switch phase {
    case .connecting: "connecting"
    case .receiving: "receiving"
    case .waiting: "waiting"
    }
  }
}
