// SPDX-License-Identifier: Apache-2.0
//
// ConnectionGrowth: whether one more connection is worth trying.
//
// Rule     Once a second; the first time always, then as long as the total speed has risen by at
//          least 5 % since the last one was added. After two looks without a rise it stays.
// Threads  pure; the time is handed in.

import Transfers

/// Decides when an adaptive transfer opens another connection.
struct ConnectionGrowth {
  private var lastLook: (at: Moment, bytes: Int64)?
  private var best: Double?
  private var flatLooks = 0

  /// Looks at the bytes received so far.
  ///
  /// - Returns: Whether to open one more connection now.
  mutating func look(at now: Moment, bytes: Int64, total: Int64?) -> Bool {
    guard let last = lastLook else {
      lastLook = (now, bytes)
      return false
    }
    let seconds = (now - last.at).inSeconds
    guard seconds >= 1 else { return false }
    lastLook = (now, bytes)
    let rate = Double(bytes - last.bytes) / seconds
    let left = total.map { Double($0 - bytes) / rate } ?? .infinity
    return left >= Self.worthwhile && rose(to: rate)
  }

  /// With fewer seconds left another connection would not pay for itself.
  private static let worthwhile = 3.0

  private mutating func rose(to rate: Double) -> Bool {
    guard rate > 0, flatLooks < 2 else { return false }
    if let best, rate < best * 1.05 {
      flatLooks += 1
      return false
    }
    best = rate
    flatLooks = 0
    return true
  }
}
