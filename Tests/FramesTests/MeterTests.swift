// SPDX-License-Identifier: Apache-2.0
//
// Bars, sparklines, range maps and tables.

import Frames
import Testing

@Suite struct ProgressBarTests {
  @Test(
    arguments: [
      (0, 100, 10, "··········", ".........."), (52, 100, 10, "█████▏····", "#####>...."),
      (17, 100, 10, "█▋········", "#>........"), (91, 100, 10, "█████████·", "#########>"),
      (100, 100, 10, "██████████", "##########"), (40, 100, 10, "████······", "####>....."),
      (5, 0, 4, "····", "...."), (200, 100, 4, "████", "####"), (-5, 100, 4, "····", "...."),
      (1, 3, 1, "▎", ">"), (1, 1, 0, "", ""),
      (Int64.max - 1, Int64.max, 10, "█████████▉", "#########>"),
    ] as [(Int64, Int64, Int, String, String)]
  )
  func `bars show whole eighths done`(
    done: Int64,
    total: Int64,
    width: Int,
    unicode: String,
    ascii: String
  ) {
    let bar = ProgressBar(done: done, total: total, width: width)
    #expect(bar.text(.unicode) == unicode)
    #expect(bar.text(.ascii) == ascii)
  }

  @Test func `bars never shrink and are full only at the end`() {
    var before = ""
    for done in Int64(0)...1000 {
      let text = ProgressBar(done: done, total: 1000, width: 7).text(.unicode)
      #expect(text.count == 7)
      #expect((text == "███████") == (done == 1000))
      let full = text.prefix { $0 == "█" }.count
      #expect(full >= before.prefix { $0 == "█" }.count)
      before = text
    }
  }
}

@Suite struct SparklineTests {
  @Test func `samples scale to the largest, newest at the right`() {
    let line = Sparkline(samples: [9, 0, 1, 50, 100], width: 6)
    #expect(line.text(.unicode) == " ▁ ▁▄█")
    #expect(line.text(.ascii) == " . .-#")
    #expect(Sparkline(samples: [9, 1, 2], width: 2).text(.unicode) == "▄█")
    #expect(Sparkline(samples: [], width: 3).text(.unicode) == "   ")
    #expect(Sparkline(samples: [0, 0], width: 2).text(.ascii) == "  ")
    #expect(Sparkline(samples: [1, 5, -3], width: 3, top: 4).text(.unicode) == "▂█ ")
  }

  @Test func `a graph has several rows`() {
    let graph = Sparkline(samples: [1, 8, 12, 16], width: 5)
    #expect(graph.lines(2, .unicode) == ["   ▄█", " ▁███"])
  }
}

@Suite struct RangeMapTests {
  @Test(arguments: [
    (10, "██▒▒······"), (5, "█▒···"), (3, "▒··"), (1, "·"), (0, ""),
  ])
  func `each cell shows the least complete state of its slice`(width: Int, text: String) {
    let map = RangeMap(length: 100, done: [10..<20, 0..<10], active: [20..<40])
    #expect(map.text(width: width, .unicode) == text)
  }

  @Test func `a hole of one byte shows`() {
    let map = RangeMap(length: 1000, done: [0..<499, 500..<1000])
    #expect(map.text(width: 10, .ascii) == "####.#####")
    let filled = RangeMap(length: 1000, done: [0..<499, 500..<1000], active: [499..<500])
    #expect(filled.text(width: 10, .ascii) == "####o#####")
  }

  @Test func `odd lengths work`() {
    #expect(RangeMap(length: 0, done: []).text(width: 3, .unicode) == "···")
    #expect(RangeMap(length: 2, done: [0..<1]).text(width: 4, .unicode) == "██··")
    let huge = RangeMap(length: .max, done: [0..<Int64.max / 2])
    #expect(huge.text(width: 4, .unicode) == "█···" || huge.text(width: 4, .unicode) == "██··")
  }
}

@Suite struct TableTests {
  private let table = Table([
    .init("Name", .flexible(minimum: 8)), .init("%", .fixed(4), .trailing),
    .init("Size", .fixed(8), .trailing),
  ])

  @Test func `lines add up exactly`() {
    #expect(table.heading(in: 26, .unicode) == "Name            %     Size")
    let line = table.line(["日本語の長い名前", "52%", "629 MiB"], in: 26, .unicode)
    #expect(line == "日本語の長…   52%  629 MiB")
  }

  @Test func `spare room goes by share, the rest to the last`() {
    let table = Table(
      [
        .init("a", .flexible(minimum: 2, share: 2)), .init("b", .fixed(3)),
        .init("c", .flexible(minimum: 0, share: 1)),
      ],
      gap: 2
    )
    #expect(table.widths(in: 20) == [9, 3, 4])
    #expect(table.spans(in: 20) == [0..<9, 11..<14, 16..<20])
  }

  @Test func `every width is kept`() {
    for total in 0...120 {
      for glyphs in [Glyphs.unicode, .ascii] {
        let line = table.line(["日本語", "7%"], in: total, glyphs)
        #expect(TextWidth.columns(of: line) == total)
      }
      #expect(table.spans(in: total).allSatisfy { $0.upperBound <= total })
    }
  }

  @Test func `text is fitted at either end`() {
    #expect(Alignment.leading.fitted("日", to: 3, .ascii) == "日 ")
    #expect(Alignment.trailing.fitted("日", to: 3, .ascii) == " 日")
    #expect(Alignment.trailing.fitted("日本", to: 3, .ascii) == "日~")
  }

  @Test func `a rectangle is centred and never larger than the screen`() {
    let screen = Rect(row: 0, column: 0, columns: 80, rows: 24)
    #expect(
      screen.centered(Size(columns: 74, rows: 90))
        == Rect(row: 0, column: 3, columns: 74, rows: 24)
    )
    #expect(screen.inner == Rect(row: 1, column: 1, columns: 78, rows: 22))
  }
}
