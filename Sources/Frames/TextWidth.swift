// SPDX-License-Identifier: Apache-2.0
//
// The one function that says how many columns text takes on the screen.
// A scalar of width zero belongs to the scalar before it, as in ncurses; a flag is two letters,
// a Devanagari conjunct as many columns as its letters: what terminals and glibc agree on.
// Pure, any thread. It never changes text: `Sanitizer` makes text measurable first.

/// How many columns text takes.
public enum TextWidth {
  /// Returns the columns that text takes, the sum over its scalars.
  ///
  /// Control and unassigned scalars count one column, because a canvas draws them as U+FFFD.
  public static func columns(of text: String) -> Int {
    if let ascii = asciiColumns(of: text) { return ascii }
    return text.unicodeScalars.reduce(0) { $0 + drawnColumns(of: $1) }
  }

  /// Returns the columns of one scalar: 0, 1 or 2, or −1 for control and unassigned ones.
  ///
  /// Equal to `wcwidth` of glibc 2.36 in a UTF-8 locale, except that NUL is −1 instead of 0.
  public static func columns(of scalar: Unicode.Scalar) -> Int {
    let value = scalar.value
    if value < 0x7F { return value >= 0x20 ? 1 : -1 }
    if value < 0x300 { return value >= 0xA0 ? 1 : -1 }
    if value >= 0x2500 && value < 0x25FD { return 1 }
    if value >= 0x4E00 && value < 0x9FFD { return 2 }
    return tabulated(value)
  }

  /// The columns a scalar takes on a canvas, where everything without a width becomes U+FFFD.
  static func drawnColumns(of scalar: Unicode.Scalar) -> Int {
    let columns = columns(of: scalar)
    return columns < 0 ? 1 : columns
  }

  /// The length of text that is ASCII throughout, else nil.
  private static func asciiColumns(of text: String) -> Int? {
    var count = 0
    for byte in text.utf8 {
      if byte >= 0x80 { return nil }
      count += 1
    }
    return count
  }

  /// Finds the run that a scalar lies in, by halving.
  private static func tabulated(_ value: UInt32) -> Int {
    let key = value << 2 | 3
    var low = 0
    var high = runs.count
    while low < high {
      let middle = (low + high) / 2
      if runs[middle] <= key { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? -1 : Int(runs[low - 1] & 3) - 1
  }
}
