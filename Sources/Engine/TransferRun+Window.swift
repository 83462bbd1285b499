// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, how far servers may be ahead: a quarter of a second of a connection's part of the limit,
// and how many connections a limit can keep fed.
//
// Rules    Each connection has 32 KiB/s or more, or there is one: a quarter of a second of that is twice
//          the least window, so that all windows together are a quarter of a second of the limit.
//          Where that is 64 KiB or more the system decides, which begins with as much. A window that was
//          made narrow stays so; when the limit is lifted, connections that can be replaced are.
// Example: 100 KB/s over eight connections: three, with 8.3 KB each; 10 KB/s: one, with the least.
// Threads  any.

import Connections
import Transfers
import Workers

extension TransferRun {
  /// What a system without a limit begins with.
  private static let usual: Int64 = 64 * 1024
  /// With less than some segments of TCP bytes come in fits and starts.
  private static let least: Int64 = 4 * 1024

  /// What a connection needs, in bytes a second.
  private static let feed: Int64 = 32 * 1024

  /// The smaller one of its own limit and the shared one.
  private var limit: Int64? {
    [budget.rate, context.budget.rate].compactMap { $0?.bytesPerSecond }.min()
  }

  /// Lets the core have the connections that the limit in force can keep fed.
  func followLimit() {
    let fed = limit.map { max(1, Int($0 / Self.feed)) } ?? .max
    core.withLock { $0.fed = fed }
  }

  /// The window for a connection that begins now; nil leaves it to the system.
  func window() -> ByteCount? {
    guard let rate = limit else { return nil }
    let bytes = rate / Int64(4 * max(1, core.withLock { $0.sharers }))
    return bytes < Self.usual ? ByteCount(max(Self.least, bytes)) : nil
  }

  /// Lets connections that were made for a slow limit begin anew once it is gone.
  func replaceNarrow() {
    guard window() == nil else { return }
    for connection in core.withLock({ $0.narrow }) { connection.cancel() }
  }
}

extension RunCore {
  /// How many connections are going to share the limit: the first one knows that there will be more.
  fileprivate var sharers: Int {
    switch request.connections {
    case .adaptive: atOnce
    case .fixed: min(ceiling, fed)
    }
  }

  /// The connections with a narrow window, where others can go on in their place.
  fileprivate var narrow: [any Connection] {
    guard plan.isRanged, !isProbing else { return [] }
    return live.values.filter(\.isNarrow).compactMap(\.connection)
  }
}
