// SPDX-License-Identifier: Apache-2.0
//
// LineVerdict: what one line typed or pasted into the add dialog is worth.
// Holds    the complete request where the line begins one; whoever makes the dashboard hands in the
//          judge, which sees all lines at once, since some say more about the one above.
// Never    tells duplicates: the dashboard finds those itself.

public import Transfers

/// What a line of text is worth as a download.
public enum LineVerdict: Hashable, Sendable {
  /// Nothing of its own: blank, a comment, or a part of what an earlier line begins.
  case nothing
  /// A download; the note says in at most 40 cells what of the line was left out, if anything.
  case good(TransferRequest, note: String)
  /// A download once a scheme is put before the link; this is what it becomes.
  case noScheme(TransferRequest)
  /// Not a download; the reason in at most 40 cells, such as `no host`.
  case notALink(String)
  /// A link of a kind that cannot be fetched; the scheme, such as `ftp`.
  case unsupportedScheme(String)
}
