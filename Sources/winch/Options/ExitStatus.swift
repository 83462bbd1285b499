// SPDX-License-Identifier: Apache-2.0
//
// ExitStatus: how the process says to a shell what came of it; `--help` lists these.

/// The exit status of winch.
enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
  /// Everything that was asked for is there.
  case done = 0
  /// At least one transfer failed, or the session cannot be used.
  case failed = 1
  /// The command line or a list cannot be carried out.
  case usage = 2
  /// Stopped by the user or a signal; what is unfinished is kept.
  case cancelled = 3

  /// What help says about it.
  var help: String {
    switch self {
    case .done: "everything arrived"
    case .failed: "something failed"
    case .usage: "the command line or a list is wrong"
    case .cancelled: "stopped before the end; run it again to carry on"
    }
  }
}
