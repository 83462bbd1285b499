// SPDX-License-Identifier: Apache-2.0
//
// Text cut to a number of columns, with a mark where something is missing.
// Names are cut in the middle, so that `part-01.rar` and `part-02.rar` stay different; a base and
// its combining marks stay together, and a wide character is never cut in half.
// Pure, any thread; it expects sanitised text.

/// Text cut to a number of columns.
public enum Shortened {
  /// Cuts a file name in the middle: the tail keeps the extension and a number before it.
  ///
  /// - Parameters:
  ///   - text: Sanitised text.
  ///   - columns: The columns it may take.
  ///   - glyphs: Holds the mark for what is missing.
  /// - Returns: The text itself if it fits; else `columns` columns, or one less where a wide
  ///   character would have been cut.
  public static func middle(_ text: String, columns: Int, glyphs: Glyphs) -> String {
    guard TextWidth.columns(of: text) > columns else { return text }
    guard columns > 1 else { return columns == 1 ? glyphs.cut : "" }
    let wanted = max(columns / 3, identifyingColumns(Array(text.unicodeScalars.suffix(25))))
    let tail = suffix(text, columns: min(wanted, columns - 2))
    let room = columns - 1 - TextWidth.columns(of: tail)
    return prefix(text, columns: room) + glyphs.cut + tail
  }

  /// Cuts text at its end.
  ///
  /// - Parameters:
  ///   - text: Sanitised text.
  ///   - columns: The columns it may take.
  ///   - glyphs: Holds the mark for what is missing.
  /// - Returns: The text itself if it fits; else `columns` columns, or one less where a wide
  ///   character would have been cut.
  public static func end(_ text: String, columns: Int, glyphs: Glyphs) -> String {
    guard TextWidth.columns(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    return prefix(text, columns: columns - 1) + glyphs.cut
  }

  /// The longest start that fits.
  private static func prefix(_ text: String, columns: Int) -> String {
    var used = 0
    let end = text.unicodeScalars.firstIndex { scalar in
      used += TextWidth.drawnColumns(of: scalar)
      return used > columns
    }
    return String(text[..<(end ?? text.endIndex)])
  }

  /// The longest end that fits and does not begin with a combining mark.
  private static func suffix(_ text: String, columns: Int) -> String {
    let scalars = text.unicodeScalars
    var used = 0
    var start = text.endIndex
    var index = text.endIndex
    while index > text.startIndex {
      index = scalars.index(before: index)
      let width = TextWidth.drawnColumns(of: scalars[index])
      used += width
      if used > columns { break }
      if width > 0 { start = index }
    }
    return String(text[start...])
  }

  /// The columns at the end that tell one part of a set from the next: up to two extensions of at
  /// most eight letters, and a number of at most six digits before them with what separates it.
  private static func identifyingColumns(_ scalars: [Unicode.Scalar]) -> Int {
    var start = scalars.count
    for _ in 0..<2 { start = startOfExtension(scalars, before: start) }
    let digits = scalars[..<start].suffix(6).reversed().prefix(while: isDigit).count
    if digits > 0 && start > digits { start -= digits + 1 }
    return scalars[start...].reduce(0) { $0 + TextWidth.drawnColumns(of: $1) }
  }

  /// Where the extension that ends at `end` begins, dot included; `end` if there is none.
  private static func startOfExtension(_ scalars: [Unicode.Scalar], before end: Int) -> Int {
    let letters = scalars[..<end].suffix(8).reversed().prefix(while: isLetterOrDigit).count
    let dot = end - letters - 1
    return letters > 0 && dot > 0 && scalars[dot] == "." ? dot : end
  }

  private static func isDigit(_ scalar: Unicode.Scalar) -> Bool {
    ("0"..."9").contains(scalar)
  }

  private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
    isDigit(scalar) || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
  }
}
