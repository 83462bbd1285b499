// SPDX-License-Identifier: Apache-2.0
//
// Pictures of every screen at the sizes of the mock-ups, in Unicode, in ASCII and without colour.

import Frames
import Testing
import Transfers

@testable import Dashboard

/// One picture to take.
struct Shot: Sendable, CustomTestStringConvertible {
  let name: String
  let columns: Int
  let rows: Int
  var glyphs = Glyphs.unicode

  var testDescription: String { file }
  var file: String { "\(name)-\(columns)x\(rows)\(glyphs.text == .ascii ? "-ascii" : "")" }

  /// A screen at all sizes of the mock-ups, and once in ASCII.
  static func all(_ name: String) -> [Shot] {
    [(80, 24), (120, 40), (40, 10), (20, 2)].map { Shot(name: name, columns: $0, rows: $1) }
      + [Shot(name: name, columns: 80, rows: 24, glyphs: .ascii)]
  }

  func mockUp() -> Dashboard { mockUpDashboard(columns, rows, glyphs: glyphs) }
}

@Suite struct GoldenTests {
  @Test(
    arguments: Shot.all("list") + [
      Shot(name: "list", columns: 64, rows: 16), Shot(name: "list", columns: 79, rows: 16),
      Shot(name: "list", columns: 99, rows: 16), Shot(name: "list", columns: 100, rows: 16),
      Shot(name: "list", columns: 119, rows: 16), Shot(name: "list", columns: 63, rows: 16),
      Shot(name: "list", columns: 39, rows: 10), Shot(name: "list", columns: 80, rows: 6),
      Shot(name: "list", columns: 80, rows: 5), Shot(name: "list", columns: 12, rows: 1),
      Shot(name: "list", columns: 160, rows: 24),
    ]
  )
  func `the main list`(shot: Shot) {
    Golden.expect(shot.mockUp().draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("empty"))
  func `an empty list`(shot: Shot) {
    let dashboard = dashboard(shot.columns, shot.rows, glyphs: shot.glyphs)
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("failed"))
  func `the list with a failed row selected`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("Gkk")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("details"))
  func `the details of a running transfer`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.press(.enter)
    let log = [
      LogLine(at: wall(12, 39, 51), text: "connected to mirror.example.jp in 48 ms"),
      LogLine(at: wall(12, 40, 2), text: "connection 3 waits: server busy (503)"),
    ]
    _ = dashboard.update(.logged(TransferID(2), log), now: at(40))
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("details-failed"))
  func `the details of a failed transfer`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("Gkk")
    dashboard.press(.enter)
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("details-insecure"))
  func `the details of a transfer whose certificate is not checked`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("jl")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("add"))
  func `the add dialog with good and bad lines`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.press(
      .paste(
        """
        https://mirror.example.org/a/part-01.rar
        https://mirror.example.org/a/part-02.rar
        https://mirror.example.org/a/part-02.rar
        mirror.example.org/a/part-03.rar
        https://mirror.example.jp/pub/2
        rtsp://mirror.example.org/a/part-04.rar
        this is no link
        """
      )
    )
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("add-secret"))
  func `the add dialog with a login and a signed query`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.press(
      .paste(
        "https://a.example/f?token=s3cret\nhttps://ann:s3cret@mirror.example.org/a/part-01.rar"
      )
    )
    for _ in 0..<20 { dashboard.press(.left) }
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("link"))
  func `the dialog for a new link`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("Gkke")
    dashboard.press(.paste("https://fresh.example.net/backup-2026-10.tar"))
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("add-continues"))
  func `the question whether a pasted link goes on with a download`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.press(.paste("https://fresh.example.net/linux-6.18.tar.xz"), .enter)
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("remove"))
  func `the question before a removal`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("d")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("remove-many"))
  func `the question before the removal of everything`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("U*d")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("quit"))
  func `the question before leaving`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("q")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("limits"))
  func `the dialog for speed limits`(shot: Shot) throws {
    var dashboard = shot.mockUp()
    _ = dashboard.update(.limited(try Timetable(parsing: "08:00,512K 18:00,off")), now: at(40))
    dashboard.type("t")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test(arguments: Shot.all("help"))
  func `the help`(shot: Shot) {
    var dashboard = shot.mockUp()
    dashboard.type("?")
    Golden.expect(dashboard.draw(), is: shot.file)
  }

  @Test func `the list without colour tells states by letters, bold, reverse and underline`() {
    let canvas = mockUpDashboard(80, 24).draw()
    let layer = (0..<canvas.size.rows).map { row in
      String((0..<canvas.size.columns).map { monochrome(canvas[row, $0].style) })
    }
    Golden.expect(
      ["80x24, without colour"] + layer,
      is: "list-80x24-mono",
      sourceLocation: #_sourceLocation
    )
  }
}

/// What a terminal without colours shows of a style.
private func monochrome(_ style: Style) -> Character {
  if style.attributes.contains(.reverse) || style.role == .header { return "R" }
  if style.attributes.contains(.underline) { return "u" }
  if style.attributes.contains(.bold) || style.role == .failed { return "b" }
  return style.attributes.contains(.dim) || style.role == .dim ? "d" : "."
}
