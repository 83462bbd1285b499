// SPDX-License-Identifier: Apache-2.0
//
// LineVerdict: what one line typed or pasted into the add dialog is worth.
// Holds    the checked link where there is one; whoever makes the dashboard hands in the judge.
// Never    tells duplicates: the dashboard finds those itself.

public import Transfers

/// What a line of text is worth as a link.
public enum LineVerdict: Hashable, Sendable {
  /// A link.
  case good(Link)
  /// A link once a scheme is put before it; this is what it becomes.
  case noScheme(Link)
  /// Not a link; the reason in at most 40 cells, such as `no host`.
  case notALink(String)
  /// A link of a kind that cannot be fetched; the scheme, such as `ftp`.
  case unsupportedScheme(String)

  /// The link that would be added.
  var link: Link? {
    switch self {
    case .good(let link), .noScheme(let link): link
    case .notALink, .unsupportedScheme: nil
    }
  }
}
