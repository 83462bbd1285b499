// SPDX-License-Identifier: Apache-2.0
//
// ExitLine: what the normal screen shows about a transfer after the full screen has gone.

import Frames
import Transfers

/// One line for the scrollback.
enum ExitLine {
  /// A line about what finished in this run or has failed; nil for everything else.
  static func words(_ transfer: Transfer, since start: WallTime) -> String? {
    let name = Sanitizer.shown(transfer.name)
    switch transfer.state {
    case .finished(let completion):
      guard completion.at >= start else { return nil }
      return "done    \(name)  in \(Sanitizer.shown(transfer.request.directory))"
    case .failed(let failure):
      return "failed  \(name)  \(failure.short): \(failure.advice)"
    case .queued, .connecting, .downloading, .stalled, .paused, .waitingForRetry, .verifying,
      .cancelled:
      return nil
    }
  }
}
