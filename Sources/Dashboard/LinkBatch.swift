// SPDX-License-Identifier: Apache-2.0
//
// LinkBatch: what a text of several lines comes to as a batch of links.
// Holds    one finding for each line; verdicts are kept by text, so an edit judges one line anew.
// Never    lets a bad line block a good one.

import Transfers

/// The findings on a batch of lines.
struct LinkBatch: Sendable {
  /// What one line comes to.
  enum Finding: Hashable, Sendable {
    /// Nothing stands there.
    case blank
    /// Will be added.
    case new(Link)
    /// Will be added with the scheme put before it.
    case completed(Link)
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
  private var verdicts: [String: LineVerdict] = [:]

  /// The links that will be added, in order.
  var links: [Link] {
    findings.compactMap { finding in
      switch finding {
      case .new(let link), .completed(let link): link
      case .blank, .repeats, .listed, .notALink, .unsupported: nil
      }
    }
  }

  /// Judges all lines.
  mutating func judge(_ lines: [String], _ model: Model) {
    var firstLines: [String: Int] = [:]
    var kept: [String: LineVerdict] = [:]
    findings = lines.enumerated().map { index, line in
      let text = line.trimmed
      guard !text.isEmpty else { return .blank }
      let verdict = verdicts[text] ?? model.settings.judge(text)
      kept[text] = verdict
      guard let link = verdict.link else { return Finding(bad: verdict) }
      if let first = firstLines[link.text] { return .repeats(line: first) }
      firstLines[link.text] = index + 1
      return Finding(link, verdict, model)
    }
    verdicts = kept
  }

  /// The sum in words, such as `3 new, 1 duplicate, 1 not a link`.
  var summary: String {
    var (new, duplicates, others) = (0, 0, 0)
    for finding in findings {
      switch finding {
      case .blank: break
      case .new, .completed: new += 1
      case .repeats, .listed: duplicates += 1
      case .notALink, .unsupported: others += 1
      }
    }
    var parts = ["\(new) new"]
    if duplicates > 0 { parts.append(Figures.counted(duplicates, "duplicate")) }
    if others > 0 { parts.append("\(others) not a link") }
    return parts.joined(separator: ", ")
  }
}

extension LinkBatch.Finding {
  fileprivate init(bad verdict: LineVerdict) {
    switch verdict {
    case .notALink(let reason): self = .notALink(reason)
    case .unsupportedScheme(let scheme): self = .unsupported(scheme)
    case .good(let link), .noScheme(let link): self = .new(link)
    }
  }

  fileprivate init(_ link: Link, _ verdict: LineVerdict, _ model: Model) {
    let same = model.transfers.transfers(with: link).compactMap { model.transfers[$0] }
    if let row = same.last {
      self = .listed(isFinished: Group(row.state) == .done)
    } else if case .noScheme = verdict {
      self = .completed(link)
    } else {
      self = .new(link)
    }
  }

  /// What stands beside the line; empty if all is well.
  var note: String {
    switch self {
    case .blank, .new: ""
    case .completed(let link): "(no scheme: will use \(link.origin.scheme.rawValue))"
    case .repeats(let line): "(same as line \(line))"
    case .listed(let isFinished): isFinished ? "(finished already)" : "(in the list already)"
    case .notALink(let reason): "(\(reason), will be skipped)"
    case .unsupported(let scheme): "(\(scheme) not supported, will be skipped)"
    }
  }
}

extension String {
  /// Without blanks at both ends.
  fileprivate var trimmed: String {
    let start = drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
  }
}
