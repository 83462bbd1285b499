// SPDX-License-Identifier: Apache-2.0
//
// ByteRange: consecutive bytes of a file, as offsets from its start, the end excluded.
//
// Holds    0 <= lower <= upper; an empty range is allowed and contains nothing.
// Never    the wire's form (RFC 9110 section 14.1 includes the last byte); Connections translates.

/// The bytes `lower ..< upper` of a file.
public struct ByteRange: Hashable, Sendable {
  /// Offset of the first byte.
  public let lower: Int64
  /// Offset just past the last byte.
  public let upper: Int64

  /// Makes the range `lower ..< upper`; traps unless `0 <= lower <= upper`.
  public init(_ lower: Int64, _ upper: Int64) {
    precondition(0 <= lower && lower <= upper, "a byte range runs forward")
    self.lower = lower
    self.upper = upper
  }

  /// Number of bytes in it.
  public var count: Int64 { upper - lower }

  /// Whether there is no byte in it.
  public var isEmpty: Bool { lower == upper }

  /// Whether the byte at `offset` is in it.
  public func contains(_ offset: Int64) -> Bool {
    lower <= offset && offset < upper
  }

  /// The bytes that are in both, or nil when there are none.
  public func intersection(_ other: ByteRange) -> ByteRange? {
    let from = max(lower, other.lower)
    let to = min(upper, other.upper)
    return from < to ? ByteRange(from, to) : nil
  }
}
