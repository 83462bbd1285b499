// SPDX-License-Identifier: Apache-2.0
//
// The dialog for speed limits, and what header and details say about them.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct LimitDialogTests {
  private func opened(_ limit: String? = nil, _ rates: ByteRate?...) throws -> Dashboard {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.clock(wall(12, 0)), now: at(0))
    let transfers = rates.enumerated().map { index, rate in
      var made = transfer(Int64(index + 1), "\(index).iso", .downloading)
      made.request.rateLimit = rate
      return made
    }
    _ = dashboard.update(.loaded(transfers), now: at(0))
    _ = dashboard.update(.limited(try limit.map { try Timetable(parsing: $0) }), now: at(0))
    if transfers.count > 1 { dashboard.type("*") }
    dashboard.type("t")
    return dashboard
  }

  private func text(_ dashboard: Dashboard) -> String {
    dashboard.draw().text.joined(separator: "\n")
  }

  @Test func `everything together gets a limit or a timetable`() throws {
    var dashboard = try opened()
    dashboard.press(.paste("08:00,512K\n18:00,off"))
    #expect(text(dashboard).contains("All together          08:00,512K 18:00,off"))
    let expected = try Timetable(parsing: "08:00,512K 18:00,off")
    #expect(dashboard.press(.enter) == [.limitAll(expected)])
    #expect(!text(dashboard).contains("All together"))
    #expect(text(dashboard).contains("limit for everything: 08:00,512K 18:00,off"))
  }

  @Test func `the download under the cursor gets one, and only what was changed is set`() throws {
    var dashboard = try opened("1M", 2_097_152)
    #expect(text(dashboard).contains("0.iso                 2M"))
    dashboard.press(.tab, .control("u"))
    dashboard.type("500K")
    #expect(dashboard.press(.enter) == [.limit([TransferID(1)], 512_000)])
  }

  @Test func `all that are tagged get the same`() throws {
    var dashboard = try opened(nil, 1000, nil, 3000)
    #expect(text(dashboard).contains("3 downloads"))
    dashboard.press(.down)
    dashboard.type("1M")
    #expect(dashboard.press(.enter) == [.limit([1, 2, 3].map { TransferID($0) }, 1_048_576)])
  }

  @Test(arguments: ["", "off", "none", "0", "  "])
  func `a limit is taken away`(word: String) throws {
    var dashboard = try opened("1M", 3000)
    for _ in 0..<2 {
      dashboard.press(.control("u"))
      dashboard.type(word)
      dashboard.press(.tab)
    }
    #expect(dashboard.press(.enter) == [.limitAll(nil), .limit([TransferID(1)], nil)])
  }

  @Test func `what cannot be read is told and nothing is set`() throws {
    var dashboard = try opened(nil, nil)
    dashboard.type("25:00,1M")
    #expect(dashboard.press(.enter).isEmpty)
    #expect(text(dashboard).contains("'25:00,1M' has no time from 00:00 to 23:59"))
    dashboard.press(.control("u"), .tab)
    dashboard.type("08:00,1M")
    #expect(dashboard.press(.enter).isEmpty)
    #expect(text(dashboard).contains("there is no rate"))
    #expect(dashboard.press(.escape).isEmpty)
    #expect(!text(dashboard).contains("Speed limits"))
  }

  @Test func `nothing changed sets nothing`() throws {
    var dashboard = try opened("08:00,1M 18:00,off", 5000)
    #expect(text(dashboard).contains("Now 1.00 MiB/s, for another 6h00m"))
    #expect(dashboard.press(.enter).isEmpty)
    #expect(!text(dashboard).contains("Speed limits"))
  }

  @Test func `the header shows the limit in force, by the timetable`() throws {
    var dashboard = try opened("08:00,512K 12:30,off", nil)
    dashboard.press(.escape)
    #expect(text(dashboard).contains("limit 512 KiB/s"))
    _ = dashboard.update(.clock(wall(12, 30)), now: at(50))
    #expect(dashboard.needsFrame)
    #expect(!text(dashboard).contains("limit"))
  }

  @Test func `the details say a download's own limit and hours`() throws {
    var dashboard = try opened(nil, 512_000)
    dashboard.press(.escape, .enter)
    #expect(text(dashboard).contains("Limit     500 KiB/s for this one"))
    dashboard.type("t")
    #expect(text(dashboard).contains("Speed limits"))
  }
}
