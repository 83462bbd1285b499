// SPDX-License-Identifier: Apache-2.0
//
// RunEnding: why a run of a transfer stops before the file is complete.

import Transfers

/// Why a run stops early.
enum RunEnding: Hashable {
  /// The user paused it.
  case paused
  /// It was taken off the list.
  case removed
  /// The program ends; the transfer stays as it is and goes on next time.
  case shutDown
  /// The disk has no room.
  case full(Failure)
  /// Its time is over for now.
  case scheduled(Hold)
  /// It cannot go on.
  case failed(Failure)
}
