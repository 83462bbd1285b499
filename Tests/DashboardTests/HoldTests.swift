// SPDX-License-Identifier: Apache-2.0
//
// Transfers that wait for their time: what is said about them, and the keys that act on them.

import Frames
import Testing
import Transfers

@testable import Dashboard

private func held(_ reason: Hold.Reason, _ until: WallTime) -> TransferState {
  .paused(.scheduled(Hold(reason, until: until)))
}

@Suite struct HoldTests {
  private func shown(_ states: TransferState...) -> Dashboard {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.clock(wall(12, 0)), now: at(0))
    let all = states.enumerated().map { transfer(Int64($0 + 1), "\($0).iso", size: 9, $1) }
    _ = dashboard.update(.loaded(all), now: at(0))
    return dashboard
  }

  @Test(
    arguments: [
      (.start, wall(18, 30), "W", "starts 18:30", "starts at 18:30. r lets it go on now."),
      (.start, wall(24 * 20 + 6, 0), "W", "starts 24 Oct 06:00", "starts at 24 Oct 06:00."),
      (.hours, wall(22, 0), "W", "waits until 22:00", "waits until 22:00, when its hours begin."),
      (.quota, wall(24, 0), "W", "quota, until 00:00", "the day's quota is used up, goes on at"),
    ] as [(Hold.Reason, WallTime, String, String, String)]
  )
  func `the list says why and until when, the peek line what helps`(
    reason: Hold.Reason,
    until: WallTime,
    letter: String,
    words: String,
    advice: String
  ) {
    let text = shown(held(reason, until)).draw().text
    #expect(text[3].contains(words) && text[3].hasPrefix("▌\(letter)"))
    #expect(text[21].contains("0.iso: \(advice)"))
    #expect(text[0].contains("1 waiting"))
  }

  @Test func `those that wait for their time are not in line`() {
    let text = shown(.queued, held(.hours, wall(22, 0)), .queued).draw().text
    #expect(text[0].contains("3 waiting"))
    #expect(text[5].contains("waiting, 2nd in line"))
  }

  @Test func `r lets it go on now, p pauses it`() {
    var dashboard = shown(held(.hours, wall(22, 0)))
    #expect(dashboard.type("r") == [.retry([TransferID(1)])])
    #expect(dashboard.type("p") == [.pause([TransferID(1)])])
  }

  @Test func `without a screen a line tells it too`() {
    var report = PlainReport(about: [TransferID(1)], glyphs: .ascii) { LocalTime($0, offset: 3600) }
    let line = report.follow(transfer(1, "a.iso", held(.hours, wall(22, 0))), now: at(0))
    #expect(line == "waits   a.iso  waits until 23:00, when its hours begin")
    #expect(report.summary.hasPrefix("0 active, 1 waiting"))
  }
}
