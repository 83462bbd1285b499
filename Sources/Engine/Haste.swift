// SPDX-License-Identifier: Apache-2.0
//
// Haste: why the recorder should not gather more marks before it writes.

/// Who waits for the recorder.
struct Haste {
  var isClosing = false
  /// Threads that go on when files have their names.
  var waiting = 0
}
