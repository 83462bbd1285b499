// SPDX-License-Identifier: Apache-2.0
//
// DayUsage: how many bytes of bodies were received on one day of the user's calendar.

/// The bytes of a day.
public struct DayUsage: Hashable, Sendable {
  /// Days since 1970-01-01 on the user's calendar.
  public var day: Int
  /// Bytes of bodies that were taken, whatever became of them.
  public var received: ByteCount

  /// Makes the usage of a day.
  public init(day: Int, received: ByteCount) {
    self.day = day
    self.received = received
  }
}
