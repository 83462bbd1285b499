// SPDX-License-Identifier: Apache-2.0
//
// ExchangeRecord: one exchange as the log tells it: what was asked of whom, what came, how long each
// phase took, and why it ended.
//
// Holds    no field, no login and no query; its words are made when somebody reads them.

import Connections
import Transfers

/// One exchange that is over.
struct ExchangeRecord {
  /// The worker that made it.
  let number: Int
  let host: String
  let asked: RequestedRange
  let trace: ConnectionTrace?
  let outcome: FetchOutcome

  /// Whether it brought what was asked for, as most do.
  var isPlain: Bool {
    switch outcome {
    case .ended, .agreed: true
    case .refused, .failed, .stopped: false
    }
  }

  /// One line.
  var text: String {
    let status = trace?.status.map { ", \($0)" } ?? ""
    let came = trace.map { ", \($0.received.bytes) bytes in \(seconds($0.timings.total)) s" } ?? ""
    return "connection \(number + 1) to \(host), \(range)\(status)\(came)\(phases): \(ending)"
  }

  private var range: String {
    switch asked {
    case .whole: "all bytes"
    case .from(let start): "bytes \(start)-"
    case .part(let range): "bytes \(range.lower)-\(range.upper - 1)"
    }
  }

  /// The phases that took place, each with its own time.
  private var phases: String {
    guard let trace, trace.status != nil else { return "" }
    let timings = trace.timings
    let begun = max(timings.connect, timings.tls)
    var parts: [String] = []
    if trace.reused {
      parts.append("kept open")
    } else {
      parts.append("name \(seconds(timings.name))")
      parts.append("TCP \(seconds(timings.connect - timings.name))")
      if timings.tls > .zero { parts.append("TLS \(seconds(timings.tls - timings.connect))") }
    }
    parts.append("first byte \(seconds(timings.firstByte - (trace.reused ? .zero : begun)))")
    return " (\(parts.joined(separator: ", ")))"
  }

  private var ending: String {
    switch outcome {
    case .ended: "complete"
    case .agreed: "the same bytes as on disk"
    case .stopped: "stopped"
    case .failed(let failure, _): failure.logText
    case .refused(let verdict): verdict.logText
    }
  }

  /// A duration in seconds with three decimals; never below zero.
  private func seconds(_ duration: Duration) -> String {
    let milliseconds = max(0, duration.nanoseconds / 1_000_000)
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000).\(String(repeating: "0", count: 3 - rest.count))\(rest)"
  }
}

extension AnswerVerdict {
  fileprivate var logText: String {
    switch self {
    case .accept, .empty: "nothing to fetch"
    case .askWithoutRange: "no ranges, asking without"
    case .askWithDate: "tags are not taken, asking with the date"
    case .unproven(let failure), .differs(let failure), .foreign(let failure),
      .changed(let failure), .expired(let failure), .failed(let failure, _):
      failure.logText
    }
  }
}
