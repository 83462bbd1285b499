// SPDX-License-Identifier: Apache-2.0
//
// RunContext, short documents: lists of digests and descriptions, fetched beside a transfer.
//
// Bounds   4 MiB; no other status than 200 is read.
// Threads  blocks the caller for one answer; the flag ends it at once.

import Connections
import Transfers
import Workers

extension RunContext {
  /// The longest document that is read.
  static let documentLimit = 4 << 20

  /// Fetches a document that helps a transfer.
  ///
  /// - Parameters:
  ///   - request: For the document; its range becomes the whole.
  ///   - flag: Ends the exchange when it is set.
  /// - Returns: Its bytes; nil when it is not there, too long, or breaks off, which is no failure of the
  ///   transfer.
  func document(_ request: ConnectionRequest, unless flag: CancellationFlag) -> [UInt8]? {
    let connection = connect()
    return flag.withHook({ connection.cancel() }, during: { read(request, over: connection) })
  }

  private func read(_ request: ConnectionRequest, over connection: any Connection) -> [UInt8]? {
    var request = request
    request.range = .whole
    var text: [UInt8] = []
    do throws(ConnectionError) {
      _ = try connection.run(
        request,
        onHead: { $0.status == 200 ? .accept : .reject },
        onChunk: { chunk in
          text += chunk
          return text.count > Self.documentLimit ? .stop : .more
        }
      )
      return text
    } catch {
      return nil
    }
  }
}
