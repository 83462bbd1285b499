// SPDX-License-Identifier: Apache-2.0
//
// ConnectionTrace: how a run of a connection went, however it ended; for the log.
//
// Never    holds anything of the request: no field, no login, no query.

public import Transfers

/// What can be told of a run that is over.
public struct ConnectionTrace: Hashable, Sendable {
  /// The status of the final answer; nil when there was none.
  public var status: Int?
  /// Bytes of the body that were handed over.
  public var received: ByteCount
  /// How long it took.
  public var timings: ConnectionTimings
  /// Whether a kept TCP connection served the last request.
  public var reused: Bool

  /// Makes a trace.
  public init(
    status: Int?,
    received: ByteCount,
    timings: ConnectionTimings = ConnectionTimings(),
    reused: Bool = false
  ) {
    self.status = status
    self.received = received
    self.timings = timings
    self.reused = reused
  }
}
