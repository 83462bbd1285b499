// SPDX-License-Identifier: Apache-2.0
//
// Naming: a file that is complete and checked, and gets its final name as soon as it is on the disk.

import Storage
import Transfers

/// What is left to be done for a complete file.
struct Naming: Sendable {
  let file: PartialFile
  /// How it was checked.
  let verification: Verification
  /// Whether its bytes are on the disk already.
  var isSynced = false

  /// Gives it its name, or the next free number when that is taken.
  ///
  /// - Returns: The name it got.
  func name() throws(StorageError) -> String {
    try file.finish { TransferRun.candidate(file.name, insteadOf: file.wish, $0) }
  }
}
