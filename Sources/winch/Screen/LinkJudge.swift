// SPDX-License-Identifier: Apache-2.0
//
// LinkJudge: what lines are worth as downloads, for the add dialog.

import Connections
import Dashboard
import Transfers

/// Judges the lines of the add dialog.
enum LinkJudge {
  /// What each line is worth, with the options of the command line for what is fetched.
  ///
  /// - Parameter options: Those that are about one file only have no say here.
  /// - Returns: The judge, one verdict for each line.
  static func verdicts(_ options: Options) -> @Sendable ([String]) -> [LineVerdict] {
    var options = options
    options.name = nil
    options.checksum = nil
    return { [options] in verdicts($0, options) }
  }

  private static func verdicts(_ lines: [String], _ options: Options) -> [LineVerdict] {
    let list = LinkList(typed: lines)
    var verdicts = lines.map { _ in LineVerdict.nothing }
    var notes: [Int: String] = [:]
    for problem in list.problems {
      verdicts[problem.number - 1] = verdict(problem.reason)
      notes[problem.number] = problem.reason.short
    }
    for entry in list.entries {
      let request = LinkRequests.request(entry.file, options)
      verdicts[entry.number - 1] =
        entry.file.isCompleted
        ? .noScheme(request) : .good(request, note: notes[entry.number] ?? "")
    }
    return verdicts
  }

  private static func verdict(_ problem: ListProblem) -> LineVerdict {
    if case .link(.unsupportedScheme(let scheme)) = problem { return .unsupportedScheme(scheme) }
    return .notALink(problem.short)
  }
}
