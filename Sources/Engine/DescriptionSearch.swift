// SPDX-License-Identifier: Apache-2.0
//
// DescriptionSearch: fetches the document that a server says describes the file, and finds the file.
//
// Asked    once a run, without any secret of the user's. What is not there, too long, breaks off, or
//          speaks of a file of another length is no failure of the transfer.
// Bounds   4 MiB.
// Threads  blocks the caller for one answer; the flag ends it at once.
// Source   RFC 6249 section 4.

import Connections
import Transfers
import Workers

/// A look into a document.
struct DescriptionSearch {
  let document: Link
  let context: RunContext

  /// The longest document that is read.
  static let byteLimit = 4 << 20

  /// What it says of the file of that length; of several, of the one with that name.
  func description(
    of name: String,
    size: ByteCount,
    unless flag: CancellationFlag
  ) -> FileDescription? {
    let connection = context.connect()
    let bytes = flag.withHook({ connection.cancel() }, during: { read(over: connection) })
    let found = context.describe(bytes ?? []).filter { $0.size == size }
    return found.count == 1 ? found.first : found.first { $0.name == name }
  }

  private func read(over connection: any Connection) -> [UInt8]? {
    var asked = ConnectionRequest(link: document)
    asked.range = .whole
    var text: [UInt8] = []
    do throws(ConnectionError) {
      _ = try connection.run(
        asked,
        onHead: { $0.status == 200 ? .accept : .reject },
        onChunk: { chunk in
          text += chunk
          return text.count > Self.byteLimit ? .stop : .more
        }
      )
      return text
    } catch {
      return nil
    }
  }
}
