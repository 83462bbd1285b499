// SPDX-License-Identifier: Apache-2.0
//
// PeekLine: one line about the selected transfer: where it goes, or why it does not and what helps.

import Frames
import Transfers

/// What is said about the selected transfer.
struct PeekLine {
  let row: Row
  let model: Model

  /// The line for a screen of full width.
  var text: String {
    let name = model.shown(row.transfer.name)
    let warnings = warnings.isEmpty ? "" : " (\(warnings.joined(separator: ", ")))"
    return name + warnings + rest
  }

  /// The line for a narrow screen, without the name.
  var shortText: String {
    if let trouble = row.trouble { return model.shown(trouble.advice) }
    if let hold = model.advice(on: row) { return hold }
    let amount =
      row.total.map { "\(Figures.percent(row.received, of: $0)) of \(Figures.size($0))" }
      ?? "\(Figures.size(row.received)) of unknown size"
    guard let left = row.rest.flatMap({ row.live?.timeLeft(for: $0) }) else { return amount }
    return "\(amount), ETA \(Figures.timeLeft(left))"
  }

  private var rest: String {
    if let trouble = row.trouble { return ": \(model.shown(trouble.advice))" }
    if let hold = model.advice(on: row) { return ": \(hold)" }
    let folder = model.shown(model.path(row.transfer.request.directory))
    let host = model.shown(row.transfer.request.link.origin.host)
    return "  ->  \(folder)  from \(host)" + remark
  }

  /// What else matters in this state.
  private var remark: String {
    switch row.state {
    case .paused where row.received > 0: resumability
    case .verifying: row.transfer.request.checksum.map { "  expected \($0.hex.prefix(8))" } ?? ""
    case .finished(let completion): remark(on: completion.verification)
    case .queued, .connecting, .downloading, .stalled, .paused, .waitingForRetry, .failed,
      .cancelled:
      ""
    }
  }

  private var resumability: String {
    guard let answer = row.transfer.answer else { return "" }
    return answer.isResumable ? "  goes on where it stopped" : "  starts over: no byte ranges"
  }

  private func remark(on verification: Verification) -> String {
    switch verification {
    case .checked: "  checksum agrees"
    case .lengthOnly: "  no checksum given"
    case .unverified: "  length not known, not checked"
    }
  }

  private var warnings: [String] {
    var warnings: [String] = []
    if row.isInsecure { warnings.append("certificate not checked") }
    if Sanitizer.hasHiddenCharacters(row.transfer.name) {
      warnings.append("name has hidden characters")
    }
    return warnings
  }
}

extension Row {
  /// What stands in its way.
  var trouble: Failure? {
    switch state {
    case .failed(let failure), .paused(.diskFull(let failure)): failure
    case .waitingForRetry(let wait): wait.failure
    case .queued, .connecting, .downloading, .stalled, .paused(.byUser), .paused(.scheduled),
      .verifying, .finished, .cancelled:
      nil
    }
  }
}

extension Model {
  /// What a row that waits for its time says about it; nil for others.
  func advice(on row: Row) -> String? {
    guard case .paused(.scheduled(let hold)) = row.state else { return nil }
    return hold.advice(settings.localTime, wall)
  }

  /// A path with the home directory as `~`; not sanitised.
  func path(_ path: String) -> String {
    let home = settings.home
    guard !home.isEmpty, path == home || path.hasPrefix(home + "/") else { return path }
    return "~" + path.dropFirst(home.count)
  }
}
