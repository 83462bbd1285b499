// SPDX-License-Identifier: Apache-2.0
//
// Beginnings: the first bytes of files that came by ftp.
//
// There are servers that agree to REST and then send the file from its start; nothing in the protocol
// shows it. What begins like the file itself is therefore not believed to be from its middle. A file
// that repeats itself loses no more than its further connections by that.
//
// Owns     64 bytes of each of the latest files.
// Threads  any.

internal import Workers

final class Beginnings: Sendable {
  private static let length = 64
  private static let limit = 256

  private let known = Monitor<[String: [UInt8]]>([:])

  /// Notes how a file begins.
  func note(_ bytes: UnsafeRawBufferPointer, of link: String) {
    let beginning = Array(bytes.prefix(Self.length))
    // One byte over and over, as in images of disks, tells nothing.
    guard Set(beginning).count > 1 else { return }
    known.withLock { known in
      if known.count >= Self.limit { known.removeAll() }
      known[link] = beginning
    }
  }

  /// Whether the bytes are those that the file begins with.
  func hold(_ bytes: UnsafeRawBufferPointer, of link: String) -> Bool {
    guard let beginning = known.withLock({ $0[link] }) else { return false }
    return beginning.count >= 16 && bytes.starts(with: beginning)
  }
}
