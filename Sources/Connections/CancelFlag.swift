// SPDX-License-Identifier: Apache-2.0
//
// CancelFlag: raised once from any thread, it ends the sleep of the run that it belongs to.
//
// Owns     the flag, and the handles of the run in progress.
// Threads  any. The lock is held across curl_multi_wakeup and shutdown(2), which never block.

internal import Synchronization
internal import Workers

final class CancelFlag: Sendable {
  private let raised = Atomic(false)
  private let pair = Monitor<HandlePair?>(nil)

  var isRaised: Bool { raised.load(ordering: .acquiring) }

  /// Raises the flag for good.
  func raise() {
    raised.store(true, ordering: .sequentiallyConsistent)
    pair.withLock { $0?.interrupt() }
  }

  /// Names the handles to wake; nil when the run has ended.
  func watch(_ handles: HandlePair?) {
    pair.withLock { $0 = handles }
  }
}
