// SPDX-License-Identifier: Apache-2.0
//
// KnownHost: what a host has shown to take, on the wall's clock, so that it outlives the program.

/// What was learnt of a host.
public struct KnownHost: Hashable, Sendable {
  /// The host.
  public let origin: Origin
  /// The most connections it takes, 1 or more; nil when it never refused one.
  public let connections: Int?
  /// When that was learnt.
  public let learntAt: WallTime
  /// No request is sent before; nil when it asked for no pause.
  public let heldUntil: WallTime?

  /// Makes what is known of a host.
  public init(origin: Origin, connections: Int?, learntAt: WallTime, heldUntil: WallTime?) {
    self.origin = origin
    self.connections = connections
    self.learntAt = learntAt
    self.heldUntil = heldUntil
  }
}
