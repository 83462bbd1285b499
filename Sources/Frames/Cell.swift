// SPDX-License-Identifier: Apache-2.0
//
// One cell of a canvas: a base scalar, up to two combining marks, a style.
// The shape is that of an ncurses cell, sixteen bytes without references, so that canvases are
// filled and compared at the cost of memory. The right half of a wide character is a cell of its
// own with width 0.
// Plain values, any thread.

/// One cell of a canvas.
public struct Cell: Hashable, Sendable {
  /// The scalar that takes the columns.
  public let base: Unicode.Scalar
  /// The marks over the base in their order; NUL where there is none, which keeps a cell small.
  private var firstMark: Unicode.Scalar = "\0"
  private var secondMark: Unicode.Scalar = "\0"
  /// Columns: 1, 2 for a wide character, 0 for the right half of the one before.
  public let width: UInt8
  /// How it looks.
  public var style: Style

  init(base: Unicode.Scalar, width: UInt8, style: Style) {
    self.base = base
    self.width = width
    self.style = style
  }

  /// Creates a blank.
  public static func blank(_ style: Style = .plain) -> Cell {
    Cell(base: " ", width: 1, style: style)
  }

  /// The right half of a wide character.
  static func rightHalf(_ style: Style) -> Cell {
    Cell(base: " ", width: 0, style: style)
  }

  /// Whether this is the right half of the wide character to its left.
  public var isRightHalf: Bool { width == 0 }

  /// The combining marks over the base, none, one or two.
  public var marks: [Unicode.Scalar] {
    [firstMark, secondMark].filter { $0 != "\0" }
  }

  /// Whether the base has a mark over it.
  public var hasMarks: Bool { firstMark != "\0" }

  /// What is shown: the base with its marks; empty for a right half.
  public var text: String {
    if isRightHalf { return "" }
    var text = String(base)
    text.unicodeScalars.append(contentsOf: marks)
    return text
  }

  /// Whether nothing shows but the style.
  var isBlank: Bool { base == " " && width == 1 && !hasMarks }

  /// Adds a mark; a third one is dropped.
  mutating func add(mark: Unicode.Scalar) {
    if firstMark == "\0" {
      firstMark = mark
    } else if secondMark == "\0" {
      secondMark = mark
    }
  }
}
