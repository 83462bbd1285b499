// SPDX-License-Identifier: Apache-2.0
//
// ConnectionRequest: one request for a file as a value: what is asked of whom, and how long to wait.
//
// Holds    the link, the bytes wanted, and the secrets with the one origin they belong to.
// Never    changes while it runs; EasyHandle.apply turns it into libcurl options.

public import Transfers

/// Which bytes of the file are asked for (RFC 9110 section 14.2).
public enum RequestedRange: Hashable, Sendable {
  /// All of it: no Range field is sent.
  case whole
  /// From this offset to the end.
  case from(Int64)
  /// Exactly these bytes, which must not be none.
  case part(ByteRange)

  /// The value of CURLOPT_RANGE, or nil to send no Range field.
  var option: String? {
    switch self {
    case .whole: nil
    case .from(let offset): "\(offset)-"
    case .part(let range): "\(range.lower)-\(range.upper - 1)"
    }
  }
}

/// How long each phase of an exchange may last.
public struct Timeouts: Hashable, Sendable {
  /// From the start until TCP and the TLS of https stand, name resolution included.
  public var connect: Duration
  /// From the request sent until the response head is complete; ftp and sftp, which have much to say
  /// before the first byte, get it twice.
  public var firstByte: Duration
  /// The longest time without a byte of the body.
  public var silence: Duration

  /// Makes a set of timeouts; the defaults suit the open internet.
  public init(
    connect: Duration = .seconds(15),
    firstByte: Duration = .seconds(30),
    silence: Duration = .seconds(10)
  ) {
    self.connect = connect
    self.firstByte = firstByte
    self.silence = silence
  }
}

/// One request: a GET, or what is like it in ftp and sftp.
public struct ConnectionRequest: Hashable, Sendable {
  /// What to ask for.
  public var link: Link
  /// Which bytes.
  public var range: RequestedRange
  /// The value of If-Range: an entity tag with its quotes, or a date (RFC 9110 section 13.1.5).
  public var ifRange: String?
  /// Fields the user gave, sent only to `headerOrigin`.
  ///
  /// Range, If-Range, Accept-Encoding, TE, Connection, Content-Length and Transfer-Encoding are
  /// this target's own and left out.
  public var headers: [HeaderField]
  /// The origin that `headers` belong to; the link's login belongs to the link's own.
  public var headerOrigin: Origin
  /// Which certificates are believed.
  public var trust: Trust
  /// The absolute path of a cookie file in Netscape's format; nil for none.
  ///
  /// Read anew for each run and never written; its cookies go where domain, path and `secure` say.
  public var cookieFile: String?
  /// How long to wait.
  public var timeouts: Timeouts
  /// The most bytes libcurl reads at once, 1 KiB to 512 KiB (CURLOPT_BUFFERSIZE).
  public var receiveBuffer: ByteCount
  /// How far the server may be ahead of what is read, up to 64 KiB, on a connection of its own; nil
  /// leaves it to the system (SO_RCVBUF, socket(7)).
  public var window: ByteCount?

  /// Makes a request for the whole file behind `link`, with every other part at its default.
  public init(link: Link) {
    self.link = link
    range = .whole
    ifRange = nil
    headers = []
    headerOrigin = link.origin
    trust = .system
    cookieFile = nil
    timeouts = Timeouts()
    receiveBuffer = ByteCount(512 * 1024)
    window = nil
  }
}
