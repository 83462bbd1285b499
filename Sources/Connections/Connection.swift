// SPDX-License-Identifier: Apache-2.0
//
// Connection: one exchange that blocks its thread, as the engine sees it.
//
// Threads  `run` blocks the caller and calls back on the same thread; `cancel` from any thread.
// Holds    the promise that a run ends exactly once: a report or an error.

public import Transfers

/// What to do after the response head.
public enum HeadVerdict: Hashable, Sendable {
  /// Read the body.
  case accept
  /// Read nothing more; `run` throws `.rejected`.
  case reject
}

/// What to do after a chunk.
public enum ChunkVerdict: Hashable, Sendable {
  /// Go on.
  case more
  /// Only the first so many bytes were taken, 0 or more; read nothing for this long, then offer the
  /// rest again.
  case taken(Int, pause: Duration)
  /// All wanted bytes are here: end as a success although the server would send more.
  case enough
  /// Read nothing more; `run` throws `.stopped`.
  case stop
}

/// How long the phases took, each from the start of the last request of the exchange.
public struct ConnectionTimings: Hashable, Sendable {
  /// Until the name was resolved (CURLINFO_NAMELOOKUP_TIME_T).
  public var name: Duration
  /// Until TCP stood (CURLINFO_CONNECT_TIME_T).
  public var connect: Duration
  /// Until TLS stood, zero without TLS (CURLINFO_APPCONNECT_TIME_T).
  public var tls: Duration
  /// Until the first byte of the answer (CURLINFO_STARTTRANSFER_TIME_T).
  public var firstByte: Duration
  /// Until the end (CURLINFO_TOTAL_TIME_T).
  public var total: Duration

  /// Makes a set of timings.
  public init(
    name: Duration = .zero,
    connect: Duration = .zero,
    tls: Duration = .zero,
    firstByte: Duration = .zero,
    total: Duration = .zero
  ) {
    self.name = name
    self.connect = connect
    self.tls = tls
    self.firstByte = firstByte
    self.total = total
  }
}

/// How an exchange went that ended well.
public struct ConnectionReport: Sendable {
  /// The head of the final answer.
  public var head: ResponseHead
  /// Bytes of the body that were handed over.
  public var received: ByteCount
  /// How long it took.
  public var timings: ConnectionTimings
  /// The address and port that answered, such as `127.0.0.1:8080`; empty when unknown.
  public var remoteAddress: String
  /// Whether a kept TCP connection served the last request.
  public var reused: Bool
  /// Whether it ended by `.enough` before the server's own end.
  public var endedEarly: Bool

  /// Makes a report.
  public init(
    head: ResponseHead,
    received: ByteCount,
    timings: ConnectionTimings = ConnectionTimings(),
    remoteAddress: String = "",
    reused: Bool = false,
    endedEarly: Bool = false
  ) {
    self.head = head
    self.received = received
    self.timings = timings
    self.remoteAddress = remoteAddress
    self.reused = reused
    self.endedEarly = endedEarly
  }
}

/// One exchange at a time that blocks the thread it runs on.
public protocol Connection: Sendable {
  /// Sends the request, follows redirects and hands the answer over as it arrives.
  ///
  /// Blocks until the exchange has ended. Both closures run on the calling thread.
  ///
  /// - Parameters:
  ///   - request: What to ask for.
  ///   - onHead: Called exactly once with the head of the final answer, before any chunk; not
  ///     called when the run throws before there is one.
  ///   - onChunk: Called for each chunk of the body, valid during the call; and with no bytes when
  ///     none has come for a fifth of a second, so that what is gathered can be written.
  /// - Returns: How it went; the body is complete by its framing unless it `endedEarly`.
  /// - Throws: Why there is no complete body.
  func run(
    _ request: ConnectionRequest,
    onHead: (ResponseHead) -> HeadVerdict,
    onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict
  ) throws(ConnectionError) -> ConnectionReport

  /// How the last run went, also one that threw; nil before the first has reached a server.
  var trace: ConnectionTrace? { get }

  /// Ends the current run at once, and every later one before it starts; from any thread.
  func cancel()
}
