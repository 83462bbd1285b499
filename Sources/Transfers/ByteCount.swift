// SPDX-License-Identifier: Apache-2.0
//
// ByteCount: a number of bytes as a type, so that it is never mixed up with a rate or a position.
//
// Holds    64 bits; sums saturate instead of wrapping, since totals come from servers.
// Never    negative: what is below zero becomes zero.

/// A number of bytes, 0 or more.
public struct ByteCount: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The number itself.
  public let bytes: Int64

  /// Makes a count of `bytes` bytes; zero when that is negative.
  public init(_ bytes: Int64) {
    self.bytes = max(0, bytes)
  }

  /// Makes a count from a literal number of bytes.
  public init(integerLiteral value: Int64) {
    self.init(value)
  }

  /// Orders counts by size.
  public static func < (left: ByteCount, right: ByteCount) -> Bool {
    left.bytes < right.bytes
  }

  /// Adds two counts; saturates at `Int64.max`.
  public static func + (left: ByteCount, right: ByteCount) -> ByteCount {
    let (sum, overflow) = left.bytes.addingReportingOverflow(right.bytes)
    return ByteCount(overflow ? .max : sum)
  }

  /// Subtracts; never goes below zero.
  public static func - (left: ByteCount, right: ByteCount) -> ByteCount {
    ByteCount(left.bytes - right.bytes)
  }

  /// Adds in place; saturates at `Int64.max`.
  public static func += (left: inout ByteCount, right: ByteCount) {
    left = left + right
  }
}

/// Bytes per second, 0 or more.
public struct ByteRate: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral {
  /// The number itself.
  public let bytesPerSecond: Int64

  /// Makes a rate of `bytesPerSecond`; zero when that is negative.
  public init(_ bytesPerSecond: Int64) {
    self.bytesPerSecond = max(0, bytesPerSecond)
  }

  /// Makes a rate from a literal number of bytes per second.
  public init(integerLiteral value: Int64) {
    self.init(value)
  }

  /// Orders rates by speed.
  public static func < (left: ByteRate, right: ByteRate) -> Bool {
    left.bytesPerSecond < right.bytesPerSecond
  }
}
