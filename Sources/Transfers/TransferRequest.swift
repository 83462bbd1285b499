// SPDX-License-Identifier: Apache-2.0
//
// TransferRequest: what a user asked for, complete enough to be carried out after a reboot.
//
// Holds    at least one link; everything else has a default.
// Never    changes while the transfer runs, but for its rate limit.

/// How many connections a transfer may use.
public enum ConnectionLimit: Hashable, Sendable {
  /// Start with few and add while the speed rises, at most 8.
  case adaptive
  /// At most this many, 1 to 16, opened as soon as the size is known.
  case fixed(Int)
}

/// Which certificates are believed; the host keys of sftp are none.
public enum Trust: Hashable, Sendable {
  /// The system's certificate store.
  case system
  /// The certificates in this PEM file, by absolute path.
  case file(String)
  /// Any certificate at all; shown wherever the transfer is shown.
  case anything
}

/// One file that shall be fetched, and how.
public struct TransferRequest: Hashable, Sendable {
  /// Links that serve the same bytes; the first is the one that was asked for.
  public var mirrors: [Link]
  /// The directory to save in, as an absolute path.
  public var directory: String
  /// The file name the user chose; nil leaves it to the server.
  public var name: String?
  /// How many connections may be used.
  public var connections: ConnectionLimit
  /// The digest the file must have.
  public var checksum: Checksum?
  /// Whether a digest is looked for beside the link when none is given.
  public var findsChecksum: Bool
  /// How many bytes the file must have; nil when nobody said so beforehand.
  public var size: ByteCount?
  /// The digests of its pieces; with them `size` is known.
  public var pieces: PieceDigests?
  /// Header fields, for the origin of the first link only.
  public var headers: [HeaderField]
  /// The most bytes per second for this transfer.
  public var rateLimit: ByteRate?
  /// When it may run.
  public var schedule: Schedule
  /// Which certificates are believed.
  public var trust: Trust
  /// The absolute path of a cookie file in Netscape's format; nil for none.
  public var cookieFile: String?

  /// Makes a request; traps without a link.
  public init(
    mirrors: [Link],
    directory: String,
    name: String? = nil,
    connections: ConnectionLimit = .adaptive,
    checksum: Checksum? = nil,
    findsChecksum: Bool = false,
    size: ByteCount? = nil,
    pieces: PieceDigests? = nil,
    headers: [HeaderField] = [],
    rateLimit: ByteRate? = nil,
    schedule: Schedule = Schedule(),
    trust: Trust = .system,
    cookieFile: String? = nil
  ) {
    precondition(!mirrors.isEmpty, "a transfer needs a link")
    self.mirrors = mirrors
    self.directory = directory
    self.name = name
    self.connections = connections
    self.checksum = checksum
    self.findsChecksum = findsChecksum
    self.size = size
    self.pieces = pieces
    self.headers = headers
    self.rateLimit = rateLimit
    self.schedule = schedule
    self.trust = trust
    self.cookieFile = cookieFile
  }

  /// The link that was asked for.
  public var link: Link { mirrors[0] }

  /// Puts another link in the place of the first; header fields are for the old one's origin, so
  /// they go when the origin is another.
  public mutating func swap(to link: Link) {
    if link.origin != self.link.origin { headers = [] }
    mirrors = [link] + mirrors.dropFirst().filter { $0.text != link.text }
  }

  /// The name of the file as far as the request tells it: the user's, else the last part of the
  /// link's path, decoded if that makes text.
  public var likelyName: String { name ?? link.lastName ?? link.origin.host }
}
