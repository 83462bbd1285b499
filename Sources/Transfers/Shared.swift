// SPDX-License-Identifier: Apache-2.0
//
// Shared: a value with many parts that is handed around as one reference.
//
// A list of ten thousand transfers is looked at by several threads all the time; what was asked for
// stays the same meanwhile, and need not be copied string by string.
//
// Holds    the value never changes; another one gets another box.
// Threads  a value, for any.

/// A value that costs one reference to copy.
public struct Shared<Value: Hashable & Sendable>: Hashable, Sendable {
  private final class Box: Sendable {
    let value: Value

    init(_ value: Value) {
      self.value = value
    }
  }

  private let box: Box

  /// Puts a value into a box of its own.
  public init(_ value: Value) {
    box = Box(value)
  }

  /// What is in the box.
  public var value: Value { box.value }

  /// Whether both are one and the same; those that are not may still be equal.
  public func isSame(as other: Shared) -> Bool { box === other.box }

  /// Compares what is in the boxes, unless they are the same.
  public static func == (left: Shared, right: Shared) -> Bool {
    left.isSame(as: right) || left.value == right.value
  }

  /// Hashes what is in the box.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(value)
  }
}
