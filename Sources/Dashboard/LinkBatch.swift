// SPDX-License-Identifier: Apache-2.0
//
// LinkBatch: what a text of several lines comes to as a batch of downloads.
// Holds    one finding for each line; the lines are judged anew only when they have changed.
// Never    lets a bad line block a good one.

import Transfers

/// The findings on a batch of lines.
struct LinkBatch: Sendable {
  /// What one line comes to.
  enum Finding: Hashable, Sendable {
    /// Nothing of its own stands there.
    case blank
    /// Will be added; the note says what of the line will not.
    case new(TransferRequest, note: String)
    /// Will be added with the scheme put before it.
    case completed(TransferRequest)
    /// Bears the name of a download that has begun, whose new link it may be.
    case continues(TransferID, TransferRequest)
    /// The same link as an earlier line, counted from 1.
    case repeats(line: Int)
    /// The list has it already.
    case listed(isFinished: Bool)
    /// Not a link, and why.
    case notALink(String)
    /// A link of a kind that cannot be fetched.
    case unsupported(String)
  }

  private(set) var findings: [Finding] = []
  private var judged: [String] = []
  private var verdicts: [LineVerdict] = []

  /// What will be added, in order, with or without the new links of downloads that have begun.
  func requests(withLinks: Bool) -> [TransferRequest] {
    findings.compactMap { finding in
      switch finding {
      case .new(let request, _), .completed(let request): request
      case .continues(_, let request): withLinks ? request : nil
      case .blank, .repeats, .listed, .notALink, .unsupported: nil
      }
    }
  }

  /// The new links of downloads that have begun.
  var newLinks: [(id: TransferID, link: Link)] {
    findings.compactMap { finding in
      if case .continues(let id, let request) = finding { (id, request.link) } else { nil }
    }
  }

  /// Judges all lines.
  mutating func judge(_ lines: [String], _ model: Model) {
    if lines != judged {
      judged = lines
      verdicts = model.settings.judge(lines)
    }
    var firstLines: [String: Int] = [:]
    var begun = model.begunByName
    findings = verdicts.enumerated().map { index, verdict in
      let finding = Finding(verdict, model)
      guard let link = verdict.link else { return finding }
      if let first = firstLines[link.text] { return .repeats(line: first) }
      firstLines[link.text] = index + 1
      return finding.continuing(&begun)
    }
  }

  /// The sum in words, such as `3 new, 1 duplicate, 1 not a link`.
  var summary: String {
    var (new, begun, duplicates, others) = (0, 0, 0, 0)
    for finding in findings {
      switch finding {
      case .blank: break
      case .new, .completed: new += 1
      case .continues: begun += 1
      case .repeats, .listed: duplicates += 1
      case .notALink, .unsupported: others += 1
      }
    }
    var parts = ["\(new) new"]
    if begun > 0 { parts.append("\(begun) by name in the list") }
    if duplicates > 0 { parts.append(Figures.counted(duplicates, "duplicate")) }
    if others > 0 { parts.append("\(others) not a link") }
    return parts.joined(separator: ", ")
  }
}

extension LineVerdict {
  /// The link that would be added.
  var link: Link? {
    switch self {
    case .good(let request, _), .noScheme(let request): request.link
    case .nothing, .notALink, .unsupportedScheme: nil
    }
  }
}

extension LinkBatch.Finding {
  fileprivate init(_ verdict: LineVerdict, _ model: Model) {
    switch verdict {
    case .nothing: self = .blank
    case .good(let request, let note):
      self = Self(listed: request.link, model) ?? .new(request, note: note)
    case .noScheme(let request):
      self = Self(listed: request.link, model) ?? .completed(request)
    case .notALink(let reason): self = .notALink(reason)
    case .unsupportedScheme(let scheme): self = .unsupported(scheme)
    }
  }

  /// Nil when the list does not have the link.
  private init?(listed link: Link, _ model: Model) {
    let same = model.transfers.transfers(with: link).compactMap { model.transfers[$0] }
    guard let row = same.last else { return nil }
    self = .listed(isFinished: Group(row.state) == .done)
  }

  /// The same, or a new link for a download that has begun under its name; each gets one at most.
  fileprivate func continuing(_ begun: inout [String: TransferID]) -> LinkBatch.Finding {
    switch self {
    case .new(let request, _), .completed(let request):
      begun.removeValue(forKey: request.likelyName).map { .continues($0, request) } ?? self
    case .blank, .continues, .repeats, .listed, .notALink, .unsupported: self
    }
  }

  /// What stands beside the line; empty if all is well.
  var note: String {
    switch self {
    case .blank: ""
    case .new(_, let note): note.isEmpty ? "" : "(\(note), left out)"
    case .completed(let request):
      "(no scheme: will use \(request.link.origin.scheme.rawValue))"
    case .continues: "(a new link for one in the list?)"
    case .repeats(let line): "(same as line \(line))"
    case .listed(let isFinished): isFinished ? "(finished already)" : "(in the list already)"
    case .notALink(let reason): "(\(reason), will be skipped)"
    case .unsupported(let scheme): "(\(scheme) not supported, will be skipped)"
    }
  }
}

extension Model {
  /// The unfinished downloads that have bytes, by name; none where two have the same.
  fileprivate var begunByName: [String: TransferID] {
    let begun = transfers.ids { $0.takesNewLink && $0.received > 0 }
    let names = begun.compactMap { transfers[$0] }.map { ($0.transfer.name, $0.id) }
    return Dictionary(names.map { ($0, [$1]) }, uniquingKeysWith: +)
      .compactMapValues { $0.count == 1 ? $0[0] : nil }
  }
}
