// SPDX-License-Identifier: Apache-2.0
//
// The two sets of signs everything is drawn with: Unicode, and ASCII for terminals without it.
// Each sign is one column wide in both, so a layout never depends on the set.
// Constant values, any thread.

/// The signs everything is drawn with.
public struct Glyphs: Hashable, Sendable {
  /// The corners and edges of a box.
  public struct Box: Hashable, Sendable {
    /// The upper left corner.
    public let topLeft: String
    /// The upper right corner.
    public let topRight: String
    /// The lower left corner.
    public let bottomLeft: String
    /// The lower right corner.
    public let bottomRight: String
    /// An edge along a row.
    public let horizontal: String
    /// An edge along a column.
    public let vertical: String
  }

  /// What text may be shown with beside these signs.
  public private(set) var text: Repertoire
  /// A full cell of a bar.
  public let barFull: String
  /// The partly filled cell at the end of a bar, from least to most; one sign if it has no steps.
  public let barPartial: [String]
  /// An empty cell of a bar.
  public let barEmpty: String
  /// The levels of a sparkline; the first is nothing at all.
  public let spark: [String]
  /// Boxes and rules.
  public let box: Box
  /// Stands where text was cut.
  public let cut: String
  /// Marks the selected row.
  public let selection: String
  /// A slice of the range map that is done.
  public let mapDone: String
  /// A slice of the range map that is being fetched.
  public let mapActive: String
  /// A slice of the range map that is still to do.
  public let mapToDo: String

  /// Block elements, eighths of a cell, box drawing.
  public static let unicode = Glyphs(
    text: .unicode,
    barFull: "█",
    barPartial: ["▏", "▎", "▍", "▌", "▋", "▊", "▉"],
    barEmpty: "·",
    spark: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    box: Box(
      topLeft: "┌",
      topRight: "┐",
      bottomLeft: "└",
      bottomRight: "┘",
      horizontal: "─",
      vertical: "│"
    ),
    cut: "…",
    selection: "▌",
    mapDone: "█",
    mapActive: "▒",
    mapToDo: "·"
  )

  /// The same in ASCII.
  public static let ascii = Glyphs(
    text: .ascii,
    barFull: "#",
    barPartial: [">"],
    barEmpty: ".",
    spark: [" ", ".", ":", "-", "=", "+", "*", "#"],
    box: Box(
      topLeft: "+",
      topRight: "+",
      bottomLeft: "+",
      bottomRight: "+",
      horizontal: "-",
      vertical: "|"
    ),
    cut: "~",
    selection: ">",
    mapDone: "#",
    mapActive: "o",
    mapToDo: "."
  )

  /// ASCII for a terminal that gives block elements two columns; names keep what is wide anyway.
  public static let asciiBesideWide: Glyphs = {
    var glyphs = ascii
    glyphs.text = .asciiAndWide
    return glyphs
  }()
}
