// SPDX-License-Identifier: Apache-2.0
//
// BlockingConnection: one request for a file that blocks its thread for the whole exchange and hands the body over
// chunk by chunk, so that a file of any size passes through in constant memory.
//
// Owns     nothing between runs: handles and their TCP connections live in the cache.
// Threads  `run` on one thread at a time, which is blocked; `cancel` from any thread, at once.
// Never    keeps a body, sends HEAD, or ends twice.

internal import CCurl
internal import Transfers
internal import Workers

/// The connection that really connects.
public final class BlockingConnection: Connection {
  private let handles: HandleCache
  private let flag = CancelFlag()
  private let lastTrace = Monitor<ConnectionTrace?>(nil)

  /// Makes a connection.
  ///
  /// - Parameter handles: Where handles come from and go back to.
  public init(handles: HandleCache) {
    self.handles = handles
  }

  /// How the last run went, also one that threw; nil before the first has reached a server.
  public var trace: ConnectionTrace? { lastTrace.withLock { $0 } }

  /// Ends the current run at once, and every later one before it starts; from any thread.
  public func cancel() {
    flag.raise()
  }

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
  public func run(
    _ request: ConnectionRequest,
    onHead: (ResponseHead) -> HeadVerdict,
    onChunk: (UnsafeRawBufferPointer) -> ChunkVerdict
  ) throws(ConnectionError) -> ConnectionReport {
    if flag.isRaised { throw .cancelled }
    let pair = handles.take(for: request.link.origin)
    flag.watch(pair)
    let result = withoutActuallyEscaping(onHead) { onHead in
      withoutActuallyEscaping(onChunk) { onChunk in
        let exchange = Exchange(
          request,
          flag: flag,
          pair: pair,
          beginnings: handles.beginnings,
          onHead: onHead,
          onChunk: onChunk
        )
        let result = pair.carryOut(request, exchange, flag)
        let trace = pair.trace(exchange)
        lastTrace.withLock { $0 = trace }
        return result
      }
    }
    flag.watch(nil)
    handles.give(back: pair)
    return try result.get()
  }
}
