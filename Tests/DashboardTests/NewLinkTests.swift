// SPDX-License-Identifier: Apache-2.0
//
// A new link for a download that has begun: by its key, or because a pasted one bears its name.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct LinkDialogTests {
  private let fresh = link("fresh.example", "/x")

  @Test(arguments: ["", "l"])
  func `e takes a new link, from the list and from the details`(way: String) {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("Gkk" + way)
    dashboard.type("e")
    #expect(dashboard.draw().text.contains { $0.contains("New link") })
    dashboard.press(.paste("https://fresh.example/x\nhttps://other.example/y"))
    #expect(dashboard.draw().text.contains { $0.contains("> https://fresh.example/x") })
    #expect(dashboard.press(.enter) == [.relink(TransferID(12), fresh)])
    #expect(!dashboard.draw().text.contains { $0.contains("New link") })
  }

  @Test func `the present link is shown without its password and signed query`() {
    var dashboard = dashboard(80, 24)
    let secret = Link(
      text: "https://a.example/f?signature=hush",
      origin: Origin(scheme: .https, host: "a.example", port: 443),
      path: "/f",
      login: Login(user: "ada", password: "pwd-hush")
    )
    let transfer = Transfer(
      id: TransferID(1),
      request: request(secret),
      addedAt: wall(12, 0)
    )
    _ = dashboard.update(.loaded([transfer]), now: at(0))
    dashboard.type("e")
    let text = dashboard.draw().text
    #expect(text.contains { $0.contains("https://ada:***@a.example/f?…") })
    #expect(!text.contains { $0.contains("hush") })
  }

  @Test func `what is no link, and the link it has, are not taken`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("e")
    dashboard.type("no way")
    #expect(dashboard.press(.enter).isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("not a link") })
    dashboard.press(.control("u"), .paste("https://mirror.example.jp/pub/2"))
    #expect(dashboard.press(.enter).isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("that is the link it has") })
    #expect(dashboard.press(.escape).isEmpty)
  }

  @Test func `the dialog goes when its download is done, and a finished one has none`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("e")
    let done = Completion(at: wall(12, 45), verification: .lengthOnly)
    _ = dashboard.update(
      .changed([transfer(2, "x", size: 9, have: 9, .finished(done))]),
      now: at(41)
    )
    #expect(!dashboard.draw().text.contains { $0.contains("New link") })
    #expect(dashboard.type("e").isEmpty)
    #expect(!dashboard.draw().text.contains { $0.contains("New link") })
  }

  @Test(arguments: [(80, 24), (40, 8), (40, 7), (20, 3), (20, 2), (30, 1)])
  func `the cursor is in sight at every size`(columns: Int, rows: Int) {
    var dashboard = mockUpDashboard(columns, rows)
    dashboard.type("e")
    dashboard.press(.paste("https://a.example/" + String(repeating: "x", count: 300)))
    for key in [Key.home, .end, .left] {
      dashboard.press(key)
      #expect(dashboard.draw().cursor != nil)
    }
  }
}

@Suite struct ContinuingLinkTests {
  private let links = "https://new.example/get/linux-6.18.tar.xz\nhttps://new.example/other"
  private let same = link("new.example", "/get/linux-6.18.tar.xz")
  private let other = link("new.example", "/other")

  private func asked() -> Dashboard {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.press(.paste(links))
    return dashboard
  }

  @Test func `a link with the name of a download that has begun asks, and y goes on`() {
    var dashboard = asked()
    #expect(dashboard.draw().text.contains { $0.contains("(a new link for one in the list?)") })
    #expect(dashboard.press(.enter).isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("go on from the new link?") })
    let effects = dashboard.type("y")
    #expect(effects == [.relink(TransferID(7), same), .add([request(other)])])
  }

  @Test func `n adds it as new, Esc goes back to the lines, other keys are no answer`() {
    var dashboard = asked()
    dashboard.press(.enter)
    #expect(dashboard.press(.enter, .character("x"), .paste("y")).isEmpty)
    #expect(dashboard.press(.escape).isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("1 new, 1 by name in the list") })
    dashboard.press(.enter)
    #expect(dashboard.type("n") == [.add([request(same), request(other)])])
  }

  @Test func `a download without bytes, or a finished one, is not offered`() {
    var dashboard = dashboard(80, 24)
    let done = Completion(at: wall(12, 45), verification: .lengthOnly)
    _ = dashboard.update(
      .loaded([
        transfer(1, "a.iso", size: 9, .queued),
        transfer(2, "b.iso", size: 9, have: 9, .finished(done)),
      ]),
      now: at(0)
    )
    dashboard.press(.paste("https://new.example/a.iso\nhttps://new.example/b.iso"))
    #expect(dashboard.press(.enter).count == 1)
  }
}

@Suite struct SourceFactsTests {
  @Test func `details tell which link is set aside and which one a server named`() {
    var dashboard = dashboard(100, 30)
    var running = transfer(1, "a.iso", size: 9 * mebibyte, .downloading)
    running.request.mirrors.append(link("second.example", "/a"))
    running.newLink = link("third.example", "/a")
    _ = dashboard.update(.loaded([running]), now: at(0))
    let found = link("found.example", "/a")
    let sources = running.request.mirrors.map {
      SourceSample(link: $0, isFound: false, standing: .proven)
    }
    let sample = TransferSample(
      id: TransferID(1),
      received: 5,
      connections: [],
      have: ByteRangeSet(),
      sources: [
        sources[0],
        SourceSample(
          link: sources[1].link,
          isFound: false,
          standing: .aside(Failure(.wrongLength))
        ),
        SourceSample(link: found, isFound: true, standing: .unproven),
      ]
    )
    _ = dashboard.update(.sampled([sample], freeSpace: nil), now: at(1))
    dashboard.press(.enter)
    let text = dashboard.draw().text
    #expect(text.contains { $0.contains("second.example/a, set aside: length changed") })
    #expect(text.contains { $0.contains("or https://found.example/a, named by the server") })
    #expect(text.contains { $0.contains("https://third.example/a, to be compared") })
  }
}
