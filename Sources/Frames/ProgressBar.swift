// SPDX-License-Identifier: Apache-2.0
//
// A progress bar as text of exact width.
// Unicode bars have steps of an eighth of a cell; ASCII bars show a head while they are under way.
// Rounding is always downward: only what is done completely looks complete.
// Pure, any thread.

/// A progress bar.
public struct ProgressBar: Hashable, Sendable {
  /// What is done, in any unit, 0...`total`.
  public let done: Int64
  /// All there is to do; 0 if unknown, which shows an empty bar.
  public let total: Int64
  /// Columns.
  public let width: Int

  /// Creates a bar; `done` is held to 0...`total`, negative widths count as zero.
  public init(done: Int64, total: Int64, width: Int) {
    self.total = max(0, total)
    self.done = min(max(0, done), self.total)
    self.width = max(0, width)
  }

  /// The bar, exactly `width` columns.
  public func text(_ glyphs: Glyphs) -> String {
    let steps = glyphs.barPartial.count + 1
    let filled = scaled(done, to: Int64(width * steps), of: total)
    var text = String(repeating: glyphs.barFull, count: filled / steps)
    var used = filled / steps
    if let partial = partial(filled % steps, glyphs), used < width {
      text += partial
      used += 1
    }
    return text + String(repeating: glyphs.barEmpty, count: width - used)
  }

  /// The sign between the full and the empty cells, nil if there is none.
  ///
  /// A set with a single partial sign has no steps to show, so it marks the head of what runs.
  private func partial(_ step: Int, _ glyphs: Glyphs) -> String? {
    if glyphs.barPartial.count == 1 { return done > 0 ? glyphs.barPartial[0] : nil }
    return step > 0 ? glyphs.barPartial[step - 1] : nil
  }
}

/// Returns `value * steps / total` rounded down, for 0 ≤ `value` ≤ `total`; 0 if `total` is 0.
///
/// The product is taken in 128 bits, so no size of file overflows.
func scaled(_ value: Int64, to steps: Int64, of total: Int64) -> Int {
  guard total > 0 && steps > 0 else { return 0 }
  return Int(total.dividingFullWidth(value.multipliedFullWidth(by: steps)).quotient)
}
