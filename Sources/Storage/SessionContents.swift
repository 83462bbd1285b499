// SPDX-License-Identifier: Apache-2.0
//
// SessionContents: everything a session holds, as one value, for whoever takes it over.

public import Transfers

/// What is remembered.
public struct SessionContents: Sendable {
  /// The transfers in queue order; what was under way is queued.
  public var transfers: [Transfer] = []
  /// The hashes of their bytes on disk.
  public var blocks: [TransferID: BlockMap] = [:]
  /// The last lines of the logs that are worth keeping, oldest first.
  public var logs: [TransferID: [LogLine]] = [:]
  /// What was learnt of hosts.
  public var hosts: [KnownHost] = []
  /// What was received on the last day that anything was.
  public var usage: DayUsage?
  /// The highest identity that was ever given out.
  public var lastID: Int64 = 0

  /// Makes empty contents.
  public init() {}
}

extension Session {
  /// Reads everything.
  ///
  /// - Returns: What the session holds now.
  /// - Throws: `SessionError`.
  public func contents() throws(SessionError) -> SessionContents {
    var contents = SessionContents()
    contents.transfers = try load()
    contents.blocks = try blocks()
    contents.logs = try logs()
    contents.hosts = try hosts()
    contents.usage = try usage()
    contents.lastID = nextID.number - 1
    return contents
  }
}
