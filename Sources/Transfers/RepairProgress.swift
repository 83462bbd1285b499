// SPDX-License-Identifier: Apache-2.0
//
// RepairProgress: how far the repair of a file whose digest differs has come.
//
// Holds    what was replaced is on disk before the place is told.

/// A place in a repair.
public struct RepairProgress: Hashable, Sendable {
  /// The pass over the file that is on, from 0.
  public var pass: Int
  /// Everything below was compared in this pass; the length of the file when the pass is over.
  public var offset: Int64
  /// The bytes that this pass has replaced.
  public var replaced: Int64

  /// Makes a place; without arguments the beginning of the first pass.
  public init(pass: Int = 0, offset: Int64 = 0, replaced: Int64 = 0) {
    self.pass = pass
    self.offset = offset
    self.replaced = replaced
  }
}
