// SPDX-License-Identifier: Apache-2.0
//
// What the message line says by itself when a transfer gets into trouble.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct NewsTests {
  private static let busy = Failure(.serverBusy, code: 503)
  private static let wait = RetryWait(failure: busy, attempt: 2, limit: 6, until: at(82))

  private static let troubles: [(TransferState, String)] = [
    (.failed(Failure(.notFound, code: 404)), "a.iso: 404 not found"),
    (.paused(.diskFull(Failure(.diskFull))), "a.iso: disk full"),
    (.waitingForRetry(wait), "a.iso: server busy, next try in 42 s"),
    (.paused(.scheduled(Hold(.start, until: wall(18, 30)))), "a.iso: starts at 18:30"),
    (
      .paused(.scheduled(Hold(.quota, until: wall(24, 0)))),
      "a.iso: the day's quota is used up, goes on at 00:00"
    ),
  ]

  private func message(_ dashboard: Dashboard) -> String { dashboard.draw().text[22] }

  @Test(arguments: troubles)
  func `trouble is told once, with name, reason and time`(state: TransferState, words: String) {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.clock(wall(12, 44)), now: at(0))
    _ = dashboard.update(.loaded([transfer(1, "a.iso", .downloading)]), now: at(0))
    _ = dashboard.update(.changed([transfer(1, "a.iso", state)]), now: at(40))
    #expect(message(dashboard).contains("12:44  \(words)"))
    _ = dashboard.update(.notice("something else"), now: at(41))
    _ = dashboard.update(.changed([transfer(1, "a.iso", state)]), now: at(42))
    #expect(message(dashboard).contains("something else"))
  }

  @Test(arguments: [TransferState.downloading, .verifying, .paused(.byUser), .stalled])
  func `what goes well, or was asked for, is no news`(state: TransferState) {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.loaded([transfer(1, "a.iso")]), now: at(0))
    _ = dashboard.update(.changed([transfer(1, "a.iso", state)]), now: at(40))
    #expect(message(dashboard).trimmed.isEmpty)
  }

  @Test func `what the session remembers is no news`() {
    var dashboard = dashboard(80, 24)
    let failed = transfer(1, "a.iso", .failed(Failure(.notFound, code: 404)))
    _ = dashboard.update(.loaded([failed]), now: at(0))
    #expect(message(dashboard).trimmed.isEmpty)
  }
}

extension String {
  fileprivate var trimmed: Substring { self.drop { $0 == " " } }
}
