// SPDX-License-Identifier: Apache-2.0
//
// LogLine: one line of a transfer's own log, for the details screen.
//
// Holds    text that may quote a server, so it is sanitised where it is shown; never a secret.

/// One thing that happened, at a wall-clock time.
public struct LogLine: Hashable, Sendable {
  /// When.
  public let at: WallTime
  /// What, in one line.
  public let text: String

  /// Makes a line.
  public init(at: WallTime, text: String) {
    self.at = at
    self.text = text
  }
}
