// SPDX-License-Identifier: Apache-2.0
//
// A row of small columns for samples over time, newest at the right, and the same several rows high.
// Zero shows nothing, and any value above zero shows something.
// Pure, any thread; it keeps no history, the caller hands in the samples.

/// Samples over time as small columns.
public struct Sparkline: Hashable, Sendable {
  /// The samples, oldest first, in any unit; negative ones count as zero.
  public let samples: [Int64]
  /// Columns; of more samples than columns the newest are shown.
  public let width: Int
  /// The value of a full column.
  public let top: Int64

  /// Creates a sparkline.
  ///
  /// - Parameters:
  ///   - samples: The samples, oldest first.
  ///   - width: Columns; negative widths count as zero.
  ///   - top: The value of a full column; nil takes the largest sample shown.
  public init(samples: [Int64], width: Int, top: Int64? = nil) {
    let shown = samples.suffix(max(0, width)).map { max(0, $0) }
    self.samples = shown
    self.width = max(0, width)
    self.top = max(1, top ?? shown.max() ?? 1)
  }

  /// The samples in one row, exactly `width` columns.
  public func text(_ glyphs: Glyphs) -> String {
    lines(1, glyphs)[0]
  }

  /// The samples as a graph of several rows, the upper row first, each exactly `width` columns.
  ///
  /// - Parameters:
  ///   - rows: The rows, at least one.
  ///   - glyphs: The signs; the levels of `spark` divide each row.
  /// - Returns: As many lines as rows.
  public func lines(_ rows: Int, _ glyphs: Glyphs) -> [String] {
    let rows = max(1, rows)
    let levels = glyphs.spark.count - 1
    let heights = samples.map { height(of: $0, steps: rows * levels) }
    let margin = String(repeating: " ", count: width - heights.count)
    return (0..<rows).reversed().map { row in
      heights.reduce(margin) { $0 + glyphs.spark[min(max(0, $1 - row * levels), levels)] }
    }
  }

  /// The height of a sample in steps, at least one so that little is not nothing.
  private func height(of sample: Int64, steps: Int) -> Int {
    sample == 0 ? 0 : max(1, scaled(min(sample, top), to: Int64(steps), of: top))
  }
}
