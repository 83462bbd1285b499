// SPDX-License-Identifier: Apache-2.0
//
// Settings: what the dashboard is handed once and does not change itself.
// Holds    texts, and the two questions it cannot answer without the system: what lines are
//          worth as downloads, and what the user's clock shows.
// Never    touched after the start.

public import Transfers

/// What the dashboard is handed once.
public struct Settings: Sendable {
  /// The program's version, such as `0.1.0`.
  public var version: String
  /// How many transfers run at once, in words such as `4 at once`.
  public var jobs: String
  /// The home directory as an absolute path, shown as `~`; empty for none.
  public var home: String
  /// Judges the lines of the add dialog, one verdict for each; called on every edit.
  public var judge: @Sendable ([String]) -> [LineVerdict]
  /// The user's clock.
  public var localTime: LocalClock

  /// Makes settings.
  public init(
    version: String,
    jobs: String,
    home: String = "",
    judge: @escaping @Sendable ([String]) -> [LineVerdict],
    localTime: @escaping LocalClock = { LocalTime($0) }
  ) {
    self.version = version
    self.jobs = jobs
    self.home = home
    self.judge = judge
    self.localTime = localTime
  }
}
