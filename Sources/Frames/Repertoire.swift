// SPDX-License-Identifier: Apache-2.0
//
// Repertoire: which characters a terminal shows with the width that we count.
// Pure, any thread.

/// The characters that text may be shown with.
public enum Repertoire: Hashable, Sendable {
  /// All of Unicode.
  case unicode
  /// ASCII, and what takes two columns: where the terminal gives two to much that others give one,
  /// these are what all agree on.
  case asciiAndWide
  /// ASCII alone.
  case ascii

  /// Whether a character that takes room may be shown; one `?` stands for it if not.
  func holds(_ scalar: Unicode.Scalar) -> Bool {
    switch self {
    case .unicode: true
    case .asciiAndWide: scalar.isASCII || TextWidth.columns(of: scalar) == 2
    case .ascii: scalar.isASCII
    }
  }
}
