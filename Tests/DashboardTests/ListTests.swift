// SPDX-License-Identifier: Apache-2.0
//
// The main list: selection, tags, and what its keys ask for.

import Frames
import Testing
import Transfers

@testable import Dashboard

private func ids(_ numbers: Int64...) -> [TransferID] { numbers.map { TransferID($0) } }

@Suite struct SelectionTests {
  @Test func `the selection follows its transfer when rows above go`() {
    var dashboard = mockUpDashboard(80, 24)
    _ = dashboard.update(.removed(ids(1)), now: at(41))
    #expect(dashboard.state.selected == TransferID(2))
    #expect(dashboard.state.selectedPlace == 0)
  }

  @Test(arguments: [(80, 24), (40, 10), (120, 40)])
  func `the cursor stands on the selected row after every key`(columns: Int, rows: Int) {
    var dashboard = mockUpDashboard(columns, rows)
    for key in "jjGkgjj" {
      dashboard.type(String(key))
      let canvas = dashboard.draw()
      let line = canvas.cursor.map { canvas.text[$0.row] }
      #expect(line?.hasPrefix("▌") == true, "\(canvas.text)")
    }
  }

  @Test func `when the selected row goes the next one that stays is selected`() {
    var dashboard = mockUpDashboard(80, 24)
    _ = dashboard.update(.removed(ids(1, 2, 3)), now: at(41))
    #expect(dashboard.state.selected == TransferID(4))
  }

  @Test func `when the last rows go the last that stays is selected`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("G")
    _ = dashboard.update(.removed(ids(13, 14)), now: at(41))
    #expect(dashboard.state.selected == TransferID(12))
    _ = dashboard.update(.removed(mockUp.map(\.id)), now: at(41))
    #expect(dashboard.state.selected == nil)
  }

  @Test func `selection and tags stay when the list is loaded anew`() {
    var dashboard = mockUpDashboard(80, 24)
    _ = dashboard.update(.loaded(mockUp.filter { $0.id != TransferID(3) }), now: at(41))
    #expect(dashboard.state.selected == TransferID(2))
    #expect(dashboard.state.tags == [TransferID(2)])
  }

  @Test func `the selection stays while transfers change and come`() {
    var dashboard = mockUpDashboard(80, 24)
    let finished = transfer(
      2,
      "x",
      size: 5,
      have: 5,
      .finished(Completion(at: wall(1, 1), verification: .lengthOnly))
    )
    _ = dashboard.update(.changed([finished, transfer(99, "new")]), now: at(41))
    #expect(dashboard.state.selected == TransferID(2))
    #expect(dashboard.state.transfers.place(of: TransferID(99)) == 14)
  }

  @Test(arguments: [
    ("j", 1), ("k", 0), ("G", 99), ("jjg", 0), ("jjjk", 2),
  ])
  func `letters move`(keys: String, place: Int) {
    var dashboard = dashboard(80, 24)
    let many = (1...100).map { transfer(Int64($0), "n\($0)") }
    _ = dashboard.update(.loaded(many), now: at(0))
    dashboard.type(keys)
    #expect(dashboard.state.selectedPlace == place)
  }

  @Test(arguments: [
    ([Key.pageDown], 18), ([.control("d")], 9), ([.end, .pageUp], 81), ([.end, .home], 0),
    ([.down, .control("n"), .up, .down], 2), ([.end, .control("u")], 90),
    ([.control("p")], 0),
  ])
  func `other keys move`(keys: [Key], place: Int) {
    var dashboard = dashboard(80, 24)
    let many = (1...100).map { transfer(Int64($0), "n\($0)") }
    _ = dashboard.update(.loaded(many), now: at(0))
    for key in keys { dashboard.press(key) }
    #expect(dashboard.state.selectedPlace == place)
  }

  @Test func `the selected row is in sight after every key and size`() {
    var dashboard = dashboard(80, 24)
    let many = (1...100).map { transfer(Int64($0), "n\($0)") }
    _ = dashboard.update(.loaded(many), now: at(0))
    for (rows, key) in [(24, Key.end), (10, .pageUp), (40, .down), (7, .home), (60, .pageDown)] {
      _ = dashboard.update(.resized(Size(columns: 80, rows: rows)), now: at(0))
      dashboard.press(key)
      let canvas = dashboard.draw()
      let marked = canvas.text.filter { $0.hasPrefix("▌") }
      #expect(marked.count == 1)
      let number = dashboard.state.selectedPlace + 1
      #expect(marked.first?.contains(" n\(number) ") == true)
      #expect(canvas.cursor.map { canvas[$0.row, 0].text } == "▌")
    }
  }

  @Test func `the selected row is reversed but for its bar`() {
    let canvas = mockUpDashboard(80, 24).draw()
    let line = canvas.styleLayer[4]
    #expect(Array(line)[35..<45].allSatisfy { $0 == "r" })
    #expect(Array(line)[46...].allSatisfy { $0 == "P" })
  }
}

@Suite struct ListKeyTests {
  @Test func `p pauses what is tagged and goes on, and leaves what is paused`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.type("p") == [.pause(ids(2, 3))])
    #expect(dashboard.draw().text[4].contains("pausing"))
    dashboard.type("Ug")
    #expect(dashboard.type("p") == [.pause(ids(1))])
  }

  @Test func `pausing is shown until the engine says that it stands still`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("Ugp")
    _ = dashboard.update(.changed([mockUp[0]]), now: at(41))
    #expect(dashboard.draw().text[3].contains("pausing"))
    let paused = transfer(1, "debian", size: 10, have: 5, .paused(.byUser))
    _ = dashboard.update(.changed([paused]), now: at(42))
    #expect(dashboard.draw().text[3].contains("paused by you"))
  }

  @Test func `p resumes if all that is not at its end is paused`() {
    var dashboard = dashboard(80, 24)
    let done = Completion(at: wall(1, 1), verification: .lengthOnly)
    _ = dashboard.update(
      .loaded([
        transfer(1, "a", .paused(.byUser)), transfer(2, "b", .finished(done)),
        transfer(3, "c", .paused(.byUser)),
      ]),
      now: at(0)
    )
    #expect(dashboard.type("*p") == [.resume(ids(1, 3))])
  }

  @Test func `p on what has ended asks nothing and says why`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("UG")
    #expect(dashboard.type("p").isEmpty)
    #expect(dashboard.state.notice.text.hasSuffix("is finished"))
  }

  @Test func `P pauses everything and resumes what it paused and is still paused`() {
    var dashboard = dashboard(80, 24)
    let all = [
      transfer(1, "a", .downloading), transfer(2, "b", .paused(.byUser)), transfer(3, "c"),
      transfer(4, "d", .downloading),
    ]
    _ = dashboard.update(.loaded(all), now: at(0))
    #expect(dashboard.type("P") == [.pauseAll])
    let stopped = [1, 3, 4].map { transfer($0, "x", .paused(.byUser)) }
    _ = dashboard.update(.changed(stopped + [transfer(4, "d", .downloading)]), now: at(1))
    #expect(dashboard.type("P") == [.resumeAll(ids(1, 3))])
    _ = dashboard.update(.changed([transfer(1, "a"), transfer(3, "c")]), now: at(2))
    #expect(dashboard.type("P") == [.pauseAll])
  }

  @Test func `r retries what failed or waits`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.type("r").isEmpty)
    #expect(dashboard.type("U*r") == [.retry(ids(6, 11))])
  }

  @Test func `c takes what is finished off the list and keeps the files`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.type("c") == [.remove(ids(13, 14), deleteFiles: false)])
  }

  @Test func `space tags and moves, star inverts, U untags`() {
    var dashboard = dashboard(80, 24)
    _ = dashboard.update(.loaded((1...4).map { transfer($0, "n") }), now: at(0))
    dashboard.type("  ")
    #expect(dashboard.state.targets == ids(1, 2))
    #expect(dashboard.state.selected == TransferID(3))
    dashboard.type("*")
    #expect(dashboard.state.targets == ids(3, 4))
    dashboard.type("U")
    #expect(dashboard.state.targets == ids(3))
  }

  @Test func `tags go with their transfers`() {
    var dashboard = mockUpDashboard(80, 24)
    _ = dashboard.update(.removed(ids(2, 3)), now: at(41))
    #expect(dashboard.state.tags.isEmpty)
  }

  @Test(arguments: [
    (Key.control("l"), Effect.redraw), (.control("z"), .suspend), (.character("Q"), .quit),
  ])
  func `keys of the program`(key: Key, effect: Effect) {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.press(key) == [effect])
  }

  @Test(arguments: [Key.control("l"), .control("z")])
  func `redraw and suspend work in every dialog`(key: Key) {
    for opening in ["a", "d", "q", "?", "l"] {
      var dashboard = mockUpDashboard(80, 24)
      dashboard.type(opening)
      let before = dashboard.draw()
      #expect(dashboard.press(key) == [key == .control("l") ? .redraw : .suspend])
      #expect(dashboard.draw() == before)
    }
  }
}
