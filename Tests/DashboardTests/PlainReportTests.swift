// SPDX-License-Identifier: Apache-2.0
//
// What is said where there is no screen: the speed of a file is that of the bytes of this run.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct PlainReportTests {
  private let done = TransferState.finished(
    Completion(at: wall(12, 45), verification: .lengthOnly)
  )

  /// The last line about a file of 96 MiB that was asked for in this run.
  private func lastLine(_ report: inout PlainReport) -> String? {
    _ = report.follow(file(have: 40 * mebibyte, .downloading), now: at(1))
    return report.follow(file(have: 96 * mebibyte, done), now: at(5))
  }

  private func file(have: Int64, _ state: TransferState) -> Transfer {
    transfer(1, "a.iso", size: 96 * mebibyte, have: have, state)
  }

  @Test func `a file of this run tells its size and speed`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii)
    #expect(lastLine(&report) == "done    a.iso  96.0 MiB in 0:04, 24.0 MiB/s, length ok")
  }

  @Test func `what begins and ends between two looks tells no speed`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii)
    #expect(
      report.follow(file(have: 96 * mebibyte, done), now: at(1))
        == "done    a.iso  96.0 MiB in 0:00, length ok"
    )
  }

  @Test func `bytes of an earlier run are no part of the speed`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii)
    #expect(report.know(file(have: 36 * mebibyte, .queued)) == nil)
    #expect(
      lastLine(&report) == "done    a.iso  96.0 MiB (60.0 MiB now) in 0:04, 15.0 MiB/s, length ok"
    )
  }

  @Test func `what was kept and then dropped was brought by this run`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii)
    _ = report.know(file(have: 36 * mebibyte, .queued))
    _ = report.follow(file(have: 0, .connecting), now: at(1))
    #expect(lastLine(&report) == "done    a.iso  96.0 MiB in 0:04, 24.0 MiB/s, length ok")
  }

  @Test func `a file that an earlier run has finished is there`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii)
    #expect(report.know(file(have: 96 * mebibyte, done)) == "there   a.iso  96.0 MiB")
  }

  @Test func `what came of a file that did not arrive counts in the end, and none counts twice`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii)
    let one = sample(file(have: 0, .downloading), received: 40 * mebibyte, connections: 2)
    report.sample([one], now: at(1))
    #expect(report.conclusion == "0 of 1 arrived, 40.0 MiB")
    _ = lastLine(&report)
    #expect(report.conclusion == "1 of 1 arrived, 96.0 MiB")
  }
}
