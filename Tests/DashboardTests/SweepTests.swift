// SPDX-License-Identifier: Apache-2.0
//
// Every screen at every width and at every height: nothing traps, nothing sticks out, no wide
// character is cut. All widths at the heights where the layout changes, and the other way round.

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
  func `a screen fits at every size`(screen: String) {
    var dashboard = dashboard(80, 24, glyphs: screen == "ascii" ? .ascii : .unicode)
    if screen != "empty" { fill(&dashboard) }
    if screen == "a" {
      dashboard.press(.paste("https://例え.example/日本語\nnot a link\nb.example/x"))
    } else if screen.count == 1 {
      dashboard.type(screen)
    }
    for size in Self.sizes {
      _ = dashboard.update(.resized(size), now: at(41))
      let canvas = dashboard.draw()
      #expect(canvas.size == size)
      if let broken = brokenRow(of: canvas) {
        Issue.record("\(size): row \(broken): \(canvas.text[broken])")
      }
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
      let cells = Array(canvas.row(row))
      return cells.indices.contains { column in
        let isHalf = cells[column].isRightHalf
        let follows = column > 0 && cells[column - 1].width == 2
        let endsCut = cells[column].width == 2 && column + 1 == cells.count
        return isHalf != follows || endsCut
      }
    }
  }
}
