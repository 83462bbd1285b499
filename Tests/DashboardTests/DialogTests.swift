// SPDX-License-Identifier: Apache-2.0
//
// Questions hold identities and take only letters; the add dialog judges each line.

import Frames
import Testing
import Transfers

@testable import Dashboard

private func ids(_ numbers: Int64...) -> [TransferID] { numbers.map { TransferID($0) } }

@Suite struct QuestionTests {
  @Test func `a removal acts on what was selected when the question opened`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("Ugd")
    _ = dashboard.update(.changed([transfer(50, "new")]), now: at(41))
    _ = dashboard.update(.removed(ids(2)), now: at(41))
    #expect(dashboard.type("k") == [.remove(ids(1), deleteFiles: false)])
  }

  @Test func `f deletes files too`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("d")
    #expect(dashboard.type("f") == [.remove(ids(2, 3), deleteFiles: true)])
  }

  @Test func `one that finished under the question stays and the answer says so`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("d")
    let done = Completion(at: wall(12, 45), verification: .lengthOnly)
    _ = dashboard.update(
      .changed([transfer(3, "ubuntu", size: 9, have: 9, .finished(done))]),
      now: at(41)
    )
    #expect(dashboard.type("f") == [.remove(ids(2), deleteFiles: true)])
    #expect(dashboard.state.notice.text.hasSuffix("1 finished meanwhile and stays"))
  }

  @Test func `the question goes when nothing is left to remove`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("d")
    _ = dashboard.update(.removed(ids(2, 3)), now: at(41))
    #expect(!dashboard.draw().text.contains { $0.contains("Remove 2 downloads") })
    #expect(dashboard.type("k").isEmpty)
  }

  @Test(arguments: [
    Key.enter, .newline, .character("y"), .character("d"), .paste("k\nf\ny"), .tab, .character(" "),
  ])
  func `no other key answers a removal`(key: Key) {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("d")
    #expect(dashboard.press(key).isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("Remove 2 downloads?") })
  }

  @Test(arguments: [Key.character("n"), .escape, .control("c")])
  func `n and Esc remove nothing`(key: Key) {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("d")
    #expect(dashboard.press(key).isEmpty)
    #expect(!dashboard.draw().text.contains { $0.contains("Remove 2 downloads?") })
  }

  @Test func `a key pressed before the question was seen is no answer`() {
    var dashboard = mockUpDashboard(80, 24)
    _ = dashboard.update(.key(.character("d")), now: at(41))
    #expect(dashboard.update(.key(.character("k")), now: at(41)).isEmpty)
    dashboard.framePresented()
    #expect(!dashboard.update(.key(.character("k")), now: at(41)).isEmpty)
  }

  @Test func `quitting asks while something runs, and only then`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.type("q").isEmpty)
    #expect(dashboard.press(.enter).isEmpty)
    #expect(dashboard.type("n").isEmpty)
    #expect(dashboard.type("qy") == [.quit])
    #expect(dashboard.press(.control("c"), .control("c")) == [.quit])
    _ = dashboard.update(.loaded([transfer(1, "a"), transfer(2, "b")]), now: at(41))
    #expect(dashboard.type("q") == [.quit])
  }

  @Test(arguments: ["d", "q", "ld", "?", "l"])
  func `Q quits on every screen that takes no text`(keys: String) {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type(keys)
    #expect(dashboard.type("Q") == [.quit])
  }

  @Test(arguments: ["a", "t", "e"])
  func `Q is a letter where text is typed`(key: String) {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("U" + key)
    let empty = dashboard.draw().text
    #expect(dashboard.type("Q").isEmpty)
    #expect(zip(empty, dashboard.draw().text).contains { $1.contains("Q") && $0 != $1 })
  }

  @Test func `q closes details and help before it quits`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.type("l?qq").allSatisfy { $0 == .requestLog(TransferID(2)) })
    #expect(dashboard.draw().text[0].hasPrefix(" winch"))
  }
}

@Suite struct DetailsTests {
  @Test func `details ask for the log and again when the state changes`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.press(.enter) == [.requestLog(TransferID(2))])
    let failed = transfer(2, "x", size: 9, .failed(.status(404)))
    #expect(
      dashboard.update(.changed([failed]), now: at(41)) == [.requestLog(TransferID(2))]
    )
    #expect(dashboard.update(.changed([failed]), now: at(41)).isEmpty)
  }

  @Test func `details go when their transfer leaves the list`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.press(.enter)
    _ = dashboard.update(.removed(ids(2)), now: at(41))
    #expect(dashboard.draw().text[0].hasPrefix(" winch"))
  }

  @Test func `details act on their own transfer whatever is tagged`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("g")
    dashboard.press(.enter)
    #expect(dashboard.type("p") == [.pause(ids(1))])
    dashboard.type("d")
    #expect(dashboard.type("k") == [.remove(ids(1), deleteFiles: false)])
  }

  @Test(arguments: [(80, 24), (40, 10), (20, 2), (30, 5), (10, 1)])
  func `every line of the details can be reached`(columns: Int, rows: Int) {
    var dashboard = mockUpDashboard(columns, rows)
    dashboard.press(.enter)
    _ = dashboard.update(
      .logged(TransferID(2), [LogLine(at: wall(1, 2), text: "the-last")]),
      now: at(41)
    )
    #expect(dashboard.draw().text.contains { $0.contains("State") })
    dashboard.type("G")
    #expect(dashboard.draw().text.contains { $0.contains("01:02") })
    dashboard.type("g")
    #expect(dashboard.draw().text.contains { $0.contains("State") })
  }
}

@Suite struct AddTests {
  @Test func `a paste on the list opens the dialog and Enter adds the good lines`() {
    var dashboard = mockUpDashboard(80, 24)
    let text =
      "https://a.example/1\r\nrtsp://a.example/2\nb.example/3\n\nhttps://a.example/1\nno way\n"
    #expect(dashboard.press(.paste(text)).isEmpty)
    let links = [link("a.example", "/1"), link("b.example", "/3")]
    #expect(dashboard.press(.enter) == [.add(links.map(request))])
    #expect(dashboard.state.notice.text == "adding 2 new, 1 duplicate, 2 not a link")
  }

  @Test func `line feeds in a paste and Ctrl-J begin lines, Esc cancels`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("a")
    dashboard.type("https://a.example/1")
    dashboard.press(.newline)
    #expect(dashboard.press(.paste("https://a.example/2\nhttps://a.example/3")).isEmpty)
    var other = dashboard
    #expect(
      dashboard.press(.enter) == [
        .add((1...3).map { request(link("a.example", "/\($0)")) })
      ]
    )
    #expect(other.press(.escape).isEmpty)
    #expect(!other.draw().text.contains { $0.contains("Add downloads") })
  }

  @Test(arguments: ["a", "jjjjjjjjje"])
  func `a password is stars while it is edited, and the cursor stays where it is`(opened: String) {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type(opened)
    var plain = dashboard
    dashboard.press(.paste("https://ann:s3cret@fresh.example/日本"))
    plain.press(.paste("https://ann:******@fresh.example/日本"))
    for _ in 0..<30 {
      dashboard.press(.left)
      plain.press(.left)
      #expect(dashboard.draw().text == plain.draw().text)
      #expect(dashboard.draw().cursor == plain.draw().cursor)
    }
    dashboard.press(.home)
    #expect(dashboard.draw().text.contains { $0.contains("https://ann:******@fresh.example") })
  }

  @Test func `what was typed ahead answers no question of the dialog`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.press(.paste("https://fresh.example.net/linux-6.18.tar.xz"))
    #expect(!dashboard.asksAnew)
    _ = dashboard.update(.key(.enter), now: at(41))
    #expect(dashboard.asksAnew)
    #expect(dashboard.update(.key(.character("y")), now: at(41)).isEmpty)
    dashboard.framePresented()
    #expect(!dashboard.asksAnew)
    #expect(!dashboard.update(.key(.character("y")), now: at(41)).isEmpty)
  }

  @Test func `letters are text in the dialog and never actions`() {
    var dashboard = mockUpDashboard(80, 24)
    #expect(dashboard.type("aqQpdrcP?").isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("qQpdrcP?") })
  }

  @Test func `links of the list and of what is finished are known`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.press(
      .paste("https://mirror.example.jp/pub/2\nhttps://static.rust.example/pub/13")
    )
    let text = dashboard.draw().text
    #expect(text.contains { $0.contains("(in the list already)") })
    #expect(text.contains { $0.contains("(finished already)") })
    #expect(dashboard.press(.enter).isEmpty)
    _ = dashboard.update(.removed(ids(2)), now: at(41))
    #expect(dashboard.press(.enter) == [.add([request(link("mirror.example.jp", "/pub/2"))])])
  }

  @Test func `Enter without a good line adds nothing and says so`() {
    var dashboard = mockUpDashboard(80, 24)
    dashboard.type("anothing")
    #expect(dashboard.press(.enter).isEmpty)
    #expect(dashboard.draw().text.contains { $0.contains("nothing to add: 0 new, 1 not a link") })
  }

  @Test func `a line that belongs to the one above has no finding and is not added`() {
    var dashboard = dashboard(80, 24)
    dashboard.press(.paste("https://a.example/1\n  out=x\nhttps://a.example/2\n"))
    #expect(dashboard.draw().text.contains { $0.contains("2 new") && !$0.contains("not a link") })
    let links = [link("a.example", "/1"), link("a.example", "/2")]
    #expect(dashboard.press(.enter) == [.add(links.map(request))])
  }

  @Test func `tabs of a paste stay, and what a judge leaves out of a line is told`() {
    var settings = testSettings
    let kept = request(link("a.example", "/1"))
    settings.judge = { lines in
      lines.map { $0 == "one\ttwo" ? .good(kept, note: "not http or https") : .nothing }
    }
    var dashboard = Dashboard(
      size: Size(columns: 80, rows: 24),
      glyphs: .unicode,
      settings: settings
    )
    dashboard.press(.paste("one\ttwo"))
    let text = dashboard.draw().text
    #expect(
      text.contains { $0.contains("one·two") && $0.contains("(not http or https, left out)") }
    )
    #expect(dashboard.press(.enter) == [.add([kept])])
  }

  @Test func `a thousand pasted links are one batch`() {
    var dashboard = dashboard(80, 24)
    let links = (0..<1000).map { "https://a.example/\($0)" }
    dashboard.press(.paste(links.joined(separator: "\n")))
    let effects = dashboard.press(.enter)
    #expect(effects == [.add((0..<1000).map { request(link("a.example", "/\($0)")) })])
  }

  @Test(arguments: [(80, 24), (40, 8), (40, 7), (20, 3), (20, 2), (30, 1)])
  func `the cursor is in sight in a long text`(columns: Int, rows: Int) {
    var dashboard = dashboard(columns, rows)
    let long = "https://a.example/" + String(repeating: "x", count: 300)
    dashboard.press(.paste(Array(repeating: long, count: 50).joined(separator: "\n")))
    for key in [Key.home, .up, .pageUp, .end, .left, .pageDown, .down] {
      dashboard.press(key)
      #expect(dashboard.draw().cursor != nil)
    }
  }
}

/// Keys, and what they leave.
private struct Edit: Sendable {
  let keys: [Key]
  let lines: [String]
  let row: Int
  let column: Int

  init(_ keys: [Key], _ lines: [String], row: Int = 0, _ column: Int) {
    self.keys = keys
    self.lines = lines
    self.row = row
    self.column = column
  }
}

@Suite struct LineEditorTests {
  private static let edits: [Edit] = [
    Edit([.paste("ab"), .left, .character("X")], ["aXb"], 2),
    Edit([.paste("ab\ncd"), .home, .backspace, .character("X")], ["abXcd"], 3),
    Edit([.paste("ab\ncd"), .up, .end, .delete], ["abcd"], 2),
    Edit([.paste("ab"), .left, .newline], ["a", "b"], row: 1, 0),
    Edit([.paste("a\tb\r\nc\n")], ["a\tb", "c", ""], row: 2, 0),
    Edit([.paste("ab\nc"), .up, .right, .right], ["ab", "c"], row: 1, 0),
    Edit([.paste("ab\nc"), .home, .left], ["ab", "c"], 2),
    Edit([.paste("abc"), .left, .control("u")], ["c"], 0),
    Edit([.backspace, .left, .up, .down, .right, .delete], [""], 0),
    Edit([.paste("日本"), .left, .delete, .character("x")], ["日x"], 2),
    Edit([.paste("e\u{301}"), .backspace], [""], 0),
  ]

  @Test(arguments: edits)
  private func `keys edit`(edit: Edit) {
    var editor = LineEditor()
    for key in edit.keys {
      let isTaken = editor.press(key)
      #expect(isTaken)
    }
    #expect(editor.lines == edit.lines)
    #expect(editor.row == edit.row && editor.column == edit.column)
  }
}
