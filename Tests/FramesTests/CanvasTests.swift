// SPDX-License-Identifier: Apache-2.0
//
// Canvases: cutting at the edges, wide characters, marks, styles, boxes.

import Frames
import Testing

private func canvas(_ columns: Int, _ rows: Int) -> Canvas {
  Canvas(size: Size(columns: columns, rows: rows))
}

private func at(_ row: Int, _ column: Int) -> Position { Position(row: row, column: column) }

@Suite struct CanvasTests {
  @Test func `text is drawn where it was put and reports its columns`() {
    var canvas = canvas(8, 2)
    #expect(canvas.put("ab日c", at: at(1, 2), style: Style(.running)) == 5)
    #expect(canvas.text == ["", "  ab日c"])
    #expect(canvas.styleLayer == ["........", "..rrrrr."])
    #expect(canvas[1, 4].width == 2)
    #expect(canvas[1, 5].isRightHalf)
  }

  @Test(arguments: [
    ("日本", 2, "  日"), ("日本", 3, "   日"), ("x日本", 2, "  x日"), ("x日本", 1, " x日"), ("abc", 4, "    a"),
    ("日", 4, ""),
    ("日本", -1, " 本"), ("日本", -2, "本"), ("日本", -4, ""), ("abc", -2, "c"),
  ])
  func `nothing is drawn outside and no wide character is halved`(
    text: String,
    column: Int,
    line: String
  ) {
    var canvas = canvas(5, 1)
    canvas.put(text, at: at(0, column))
    #expect(canvas.text == [line])
  }

  @Test func `rows outside are counted but not drawn`() {
    var canvas = canvas(5, 2)
    #expect(canvas.put("日本", at: at(-1, 0)) == 4)
    #expect(canvas.put("日本", at: at(2, 0), maxColumns: 3) == 3)
    #expect(canvas.text == ["", ""])
  }

  @Test(arguments: [
    ("日本", 3, 3, "日 yyyy"), ("日本", 1, 1, " yyyyyy"), ("ab", 1, 1, "ayyyyyy"),
    ("ab", 0, 0, "yyyyyyy"), ("ab", 9, 2, "abyyyyy"),
  ])
  func `a limit cuts text and blanks the column a wide character leaves`(
    text: String,
    limit: Int,
    used: Int,
    line: String
  ) {
    var canvas = canvas(7, 1)
    canvas.put("yyyyyyy", at: at(0, 0))
    #expect(canvas.put(text, at: at(0, 0), maxColumns: limit) == used)
    #expect(canvas.text == [line])
  }

  @Test(arguments: [
    ("x", 0, "x 本z"), ("x", 1, " x本z"), ("語", 1, " 語 z"), ("語", 0, "語本z"), ("語", 3, "日 語"),
    ("xy", 1, " xy z"),
  ])
  func `what is left of an overwritten wide character is blank`(
    text: String,
    column: Int,
    line: String
  ) {
    var canvas = canvas(5, 1)
    canvas.put("日本z", at: at(0, 0))
    canvas.put(text, at: at(0, column))
    #expect(canvas.text == [line])
  }

  @Test func `combining marks join the character before, two at most`() {
    var canvas = canvas(6, 1)
    #expect(canvas.put("e\u{301}\u{302}\u{303}日\u{308}x", at: at(0, 0)) == 4)
    #expect(canvas[0, 0].text == "e\u{301}\u{302}")
    #expect(canvas[0, 1].text == "日\u{308}")
    canvas.put("\u{301}", at: at(0, 4))
    #expect(canvas[0, 3].text == "x")
  }

  @Test func `scalars without a width never reach a cell`() {
    var canvas = canvas(6, 1)
    #expect(canvas.put("a\u{1B}[\u{0}\u{9B}", at: at(0, 0)) == 5)
    #expect(canvas.text == ["a\u{FFFD}[\u{FFFD}\u{FFFD}"])
  }

  @Test func `fill and restyle hold to the canvas`() {
    var canvas = canvas(4, 2)
    canvas.put("日本", at: at(0, 0))
    canvas.put("abcd", at: at(1, 0), style: Style(.plain, .bold))
    canvas.restyle(Rect(row: 1, column: 1, columns: 2, rows: 9)) { $0.adding(.reverse) }
    canvas.fill(Rect(row: -3, column: 3, columns: 9, rows: 4), style: Style(.header))
    #expect(canvas.text == ["日", "abcd"])
    #expect(canvas.styleLayer == ["...h", "bPPb"])
  }

  @Test func `a box has a title and keeps its inside`() {
    var canvas = canvas(12, 4)
    canvas.put("inside", at: at(1, 1))
    let rect = Rect(row: 0, column: 0, columns: 12, rows: 3)
    canvas.box(rect, title: "Add", footer: "Enter add", glyphs: .unicode)
    #expect(canvas.text == ["┌─ Add ────┐", "│inside    │", "└─ Enter … ┘", ""])
    canvas.box(rect, title: "A", glyphs: .ascii)
    #expect(canvas.text[0] == "+- A ------+")
    #expect(canvas.text[2] == "+----------+")
  }

  @Test func `a rule shows its title and a note`() {
    var canvas = canvas(30, 1)
    canvas.rule(at: at(0, 0), columns: 30, title: "2 name", note: "[i] hide", glyphs: .unicode)
    #expect(canvas.text == ["── 2 name ───────── [i] hide ─"])
  }

  @Test func `boxes and rules of every size stay inside`() {
    for columns in 0...14 {
      for rows in 0...5 {
        var canvas = canvas(columns, rows)
        canvas.box(canvas.bounds, title: "日本語", footer: "note", glyphs: .unicode)
        canvas.rule(at: at(0, 0), columns: columns, title: "日", note: "n", glyphs: .unicode)
        for line in canvas.text { #expect(TextWidth.columns(of: line) <= columns) }
      }
    }
  }

  @Test func `equal drawings make equal canvases`() {
    var one = canvas(9, 1)
    var two = canvas(9, 1)
    one.put("日本語", at: at(0, 0))
    one.put("same", at: at(0, 1))
    two.put(" same  ", at: at(0, 0))
    #expect(one == two)
    two.cursor = at(0, 0)
    #expect(one != two)
  }
}
