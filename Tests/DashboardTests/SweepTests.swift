// SPDX-License-Identifier: Apache-2.0
//
// Screens at every size from 1×1 to 200×60: nothing traps, nothing sticks out, no wide character is
// cut. The list is drawn at all 12,000 sizes, with the other screens in turn; beside that every
// screen at all widths for the heights where the layout changes, and the other way round.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct SweepTests {
  private static let screens: [String] = ["", "l", "a", "d", "q", "?", "empty", "ascii"]

  private static let sizes: [Size] =
    [1, 2, 6, 8, 14, 24].flatMap { rows in
      (1...200).map { Size(columns: $0, rows: rows) }
    }
    + [1, 20, 40, 64, 80].flatMap { columns in
      (1...60).map { Size(columns: columns, rows: $0) }
    }

  @Test(arguments: screens)
  func `a screen fits at every width and at every height`(screen: String) {
    var dashboard = opened(screen)
    for size in Self.sizes { check(&dashboard, at: size, screen) }
  }

  @Test(arguments: 1...60)
  func `the list and the screens in turn fit at every size`(rows: Int) {
    var list = opened("")
    var others = Self.screens.dropFirst().map { (name: $0, dashboard: opened($0)) }
    for columns in 1...200 {
      let size = Size(columns: columns, rows: rows)
      check(&list, at: size, "list")
      let turn = (columns + rows) % others.count
      check(&others[turn].dashboard, at: size, others[turn].name)
    }
  }

  /// A dashboard with something to show and a screen on top, under the key that opens it.
  private func opened(_ screen: String) -> Dashboard {
    var dashboard = dashboard(80, 24, glyphs: screen == "ascii" ? .ascii : .unicode)
    if screen != "empty" { fill(&dashboard) }
    if screen == "a" {
      dashboard.press(.paste("https://例え.example/日本語\nnot a link\nb.example/x"))
    } else if screen.count == 1 {
      dashboard.type(screen)
    }
    return dashboard
  }

  private func check(_ dashboard: inout Dashboard, at size: Size, _ screen: String) {
    _ = dashboard.update(.resized(size), now: at(41))
    let canvas = dashboard.draw()
    if canvas.size != size { Issue.record("\(screen) at \(size) is drawn at \(canvas.size)") }
    if let broken = brokenRow(of: canvas) {
      Issue.record("\(screen) at \(size), row \(broken): \(canvas.text[broken])")
    }
  }

  /// One of each kind of row, with wide characters.
  private func fill(_ dashboard: inout Dashboard) {
    _ = dashboard.update(.loaded([mockUp[1], mockUp[2], mockUp[5], mockUp[8]]), now: at(0))
    for second in 39...40 {
      _ = dashboard.update(
        .sampled(mockUpSamples(second: second), freeSpace: 5),
        now: at(Double(second))
      )
    }
    _ = dashboard.update(.notice("日本語ドキュメント集_2026年版.tar.zst: 完了しました"), now: at(40))
  }

  /// The first row in which a wide character lacks its half, or a half its character.
  private func brokenRow(of canvas: Canvas) -> Int? {
    (0..<canvas.size.rows).first { row in
      var isOwed = false
      for cell in canvas.row(row) {
        if cell.isRightHalf != isOwed { return true }
        isOwed = cell.width == 2
      }
      return isOwed
    }
  }
}
