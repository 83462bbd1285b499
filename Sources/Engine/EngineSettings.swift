// SPDX-License-Identifier: Apache-2.0
//
// EngineSettings: limits, clock, and the closures through which the engine reaches out.

public import Connections
public import Storage
public import Transfers

/// What an engine is made with.
public struct EngineSettings: Sendable {
  /// How many transfers run at once, 1 or more.
  public var jobs: Int
  /// The rate shared by all transfers; nil for no limit.
  public var rateLimit: Timetable?
  /// The most bytes to receive on one day; nil for no quota.
  public var quota: ByteCount?
  /// Pauses and limits between tries.
  public var rule: RetryRule
  /// Time and chance.
  public var clock: EngineClock
  /// Makes a connection; called once for each exchange, from any thread.
  public var connect: @Sendable () -> any Connection
  /// Decodes bytes of a named charset, nil when they do not decode.
  public var decode: @Sendable ([UInt8], String) -> String?
  /// Reads a Metalink.
  public var describe: @Sendable ([UInt8]) -> DescribedFiles
  /// Told that a transfer changed, was added or is gone; from any thread, must not block.
  public var changed: @Sendable (TransferID) -> Void
  /// Told one line for the user, not sanitised; from any thread, must not block.
  public var told: @Sendable (String) -> Void
  /// Told that the session could not be written; from the recorder's thread.
  public var sessionTroubled: @Sendable (SessionError) -> Void

  /// Makes settings; the limits have the defaults of the command line.
  public init(
    jobs: Int = 4,
    rateLimit: Timetable? = nil,
    quota: ByteCount? = nil,
    rule: RetryRule = RetryRule(),
    clock: EngineClock = .system,
    connect: @escaping @Sendable () -> any Connection,
    decode: @escaping @Sendable ([UInt8], String) -> String?,
    describe: @escaping @Sendable ([UInt8]) -> DescribedFiles = { _ in DescribedFiles() },
    changed: @escaping @Sendable (TransferID) -> Void,
    told: @escaping @Sendable (String) -> Void = { _ in },
    sessionTroubled: @escaping @Sendable (SessionError) -> Void
  ) {
    self.jobs = jobs
    self.rateLimit = rateLimit
    self.quota = quota
    self.rule = rule
    self.clock = clock
    self.connect = connect
    self.decode = decode
    self.describe = describe
    self.changed = changed
    self.told = told
    self.sessionTroubled = sessionTroubled
  }
}
