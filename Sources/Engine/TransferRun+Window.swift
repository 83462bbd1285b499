// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, how far servers may be ahead: a quarter of a second of a connection's part of the limit.
//
// Rule     Where that is 64 KiB or more the system decides, which begins with as much. A window that was
//          made narrow stays so; when the limit is lifted, connections that can be replaced are.
// Example: 100 KB/s over four connections: 6.25 KB each; 10 KB/s over eight: the least.
// Threads  any.

import Connections
import Transfers
import Workers

extension TransferRun {
  /// What a system without a limit begins with.
  private static let usual: Int64 = 64 * 1024
  /// With less than some segments of TCP bytes come in fits and starts.
  private static let least: Int64 = 4 * 1024

  /// The window for a connection that begins now; nil leaves it to the system.
  func window() -> ByteCount? {
    let limits = [budget.rate, context.budget.rate].compactMap { $0?.bytesPerSecond }
    guard let rate = limits.min() else { return nil }
    let bytes = rate / Int64(4 * max(1, core.withLock { $0.allowed }))
    return bytes < Self.usual ? ByteCount(max(Self.least, bytes)) : nil
  }

  /// Lets connections that were made for a slow limit begin anew once it is gone.
  func replaceNarrow() {
    guard window() == nil else { return }
    for connection in core.withLock({ $0.narrow }) { connection.cancel() }
  }
}

extension RunCore {
  /// The connections with a narrow window, where others can go on in their place.
  fileprivate var narrow: [any Connection] {
    guard plan.isRanged, !isProbing else { return [] }
    return live.values.filter(\.isNarrow).compactMap(\.connection)
  }
}
