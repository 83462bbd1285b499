// SPDX-License-Identifier: Apache-2.0
//
// Canvas cells as ncurses cells.
// A value outside the main actor: thousands of cells are made for a frame, and closures of an actor
// would ask at every one of them whether they run on it.
// It calls nothing of ncurses but setcchar(3), which knows no screen.

import CNcurses
import Frames
import Glibc

/// Canvas cells as ncurses cells.
struct CellEncoder {
  /// How styles look.
  let palette: Palette
  /// What the terminal shows; in ASCII all else becomes `?`, a wide character `?` and a blank.
  let encoding: TextEncoding

  /// The cells of a row; ncurses makes the right halves of wide characters itself.
  func encode(_ row: ArraySlice<Cell>) -> [cchar_t] {
    var encoded: [cchar_t] = []
    encoded.reserveCapacity(row.count)
    for cell in row where encoding == .ascii || !cell.isRightHalf {
      encoded.append(encode(cell))
    }
    return encoded
  }

  private func encode(_ cell: Cell) -> cchar_t {
    let base = encoding == .utf8 || cell.base.isASCII ? cell.base : "?"
    let marks = cell.hasMarks && encoding == .utf8 ? cell.marks : []
    let attributes = palette.attributes(cell.style)
    let pair = palette.pair(cell.style)
    var text = (wide(base), wide(marks.first), wide(marks.dropFirst().first), wide(nil))
    var result = cchar_t()
    withUnsafeBytes(of: &text) { raw in
      let start = raw.assumingMemoryBound(to: wchar_t.self).baseAddress
      _ = setcchar(&result, start, attributes, pair, nil)
    }
    return result
  }

  private func wide(_ scalar: Unicode.Scalar?) -> wchar_t {
    scalar.map { wchar_t(bitPattern: $0.value) } ?? 0
  }
}
