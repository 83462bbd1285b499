// SPDX-License-Identifier: Apache-2.0
//
// TransferSample: what the frame clock takes from a running transfer, once a second or so.

/// One connection of a running transfer, at one moment.
public struct ConnectionSample: Hashable, Sendable {
  /// What a connection is doing.
  public enum Phase: Hashable, Sendable {
    /// No answer yet.
    case connecting
    /// Bytes arrive.
    case receiving
    /// Waits before its next try.
    case waiting
  }

  /// A number that stays while the transfer runs, from 1.
  public let number: Int
  /// The host it talks to.
  public let host: String
  /// What it is doing.
  public let phase: Phase
  /// The bytes it was asked for.
  public let segment: ByteRange
  /// All bytes it has brought in this run.
  public let received: ByteCount

  /// Makes a sample.
  public init(number: Int, host: String, phase: Phase, segment: ByteRange, received: ByteCount) {
    self.number = number
    self.host = host
    self.phase = phase
    self.segment = segment
    self.received = received
  }
}

/// One of several links of a running transfer, at one moment.
public struct SourceSample: Hashable, Sendable {
  /// What is known about its bytes.
  public enum Standing: Hashable, Sendable {
    /// They were not compared yet.
    case unproven
    /// They belong to the file.
    case proven
    /// It is not asked any more.
    case aside(Failure)
  }

  /// The link.
  public let link: Link
  /// Whether a server named it, not the user.
  public let isFound: Bool
  /// What is known about its bytes.
  public let standing: Standing

  /// Makes a sample.
  public init(link: Link, isFound: Bool, standing: Standing) {
    self.link = link
    self.isFound = isFound
    self.standing = standing
  }
}

/// A running transfer at one moment.
public struct TransferSample: Hashable, Sendable {
  /// Whose.
  public let id: TransferID
  /// Bytes on disk now.
  public let received: ByteCount
  /// Its connections.
  public let connections: [ConnectionSample]
  /// Which bytes are on disk now.
  public let have: ByteRangeSet
  /// Its links, when there are several.
  public let sources: [SourceSample]

  /// Makes a sample.
  public init(
    id: TransferID,
    received: ByteCount,
    connections: [ConnectionSample],
    have: ByteRangeSet,
    sources: [SourceSample] = []
  ) {
    self.id = id
    self.received = received
    self.connections = connections
    self.have = have
    self.sources = sources
  }
}
