// SPDX-License-Identifier: Apache-2.0
//
// MirrorRace: asks all links of a transfer at once for one byte; the first good answer wins.
//
// Threads  blocks the caller; each attempt has a thread of its own until the race is decided.
// Never    writes anything: the winner is then asked for the file like a single link.

import Connections
import Transfers
import Workers

/// Finds the link to begin with.
struct MirrorRace {
  let request: TransferRequest
  let context: RunContext

  /// The position of the first mirror that answers well; nil when none does, or the flag is set.
  func winner(unless flag: CancellationFlag) -> Int? {
    let attempts = request.mirrors.map { link in attempt(link) }
    switch firstToSucceed(attempts, cancelledBy: flag, on: context.connections) {
    case .succeeded(let position, _): return position
    case .allFailed, .cancelled: return nil
    }
  }

  private func attempt(_ link: Link) -> @Sendable (CancellationFlag) -> Attempt<Int> {
    let connection = context.connect()
    let probe = probe(link)
    return { flag in
      flag.withHook({ connection.cancel() }, during: { Self.ask(connection, probe) })
    }
  }

  private func probe(_ link: Link) -> ConnectionRequest {
    var probe = ConnectionRequest(link, of: request)
    probe.range = .part(ByteRange(0, 1))
    return probe
  }

  private static func ask(
    _ connection: any Connection,
    _ probe: ConnectionRequest
  ) -> Attempt<Int> {
    var status = 0
    do throws(ConnectionError) {
      _ = try connection.run(
        probe,
        onHead: { head in
          status = head.status
          return .reject
        },
        onChunk: { _ in .enough }
      )
    } catch {
      guard (200...299).contains(status) || status == 416 else {
        return .failed(Failure.status(status))
      }
    }
    return .succeeded(status)
  }
}
