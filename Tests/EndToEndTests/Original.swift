// SPDX-License-Identifier: Apache-2.0
//
// Original: content whose bytes are made once, for tests that compare often.

import FaultServer
import Glibc
import Transfers

/// What a server has under a path of the same name.
struct Original: Sendable {
  let content: Content
  let bytes: [UInt8]

  var key: String { content.key }
  var all: ByteRange { ByteRange(0, content.size) }

  init(_ key: String, version: Int = 1, size: Int64) {
    content = Content(key: key, version: version, size: size)
    bytes = content.bytes
  }

  /// Whether a file has the right bytes in a range.
  func agrees(_ file: [UInt8], in range: ByteRange) -> Bool {
    guard range.upper <= min(file.count, bytes.count) else { return false }
    let (lower, count) = (Int(range.lower), Int(range.count))
    return file[lower...].withUnsafeBytes { file in
      bytes[lower...].withUnsafeBytes { bytes in
        guard let file = file.baseAddress, let bytes = bytes.baseAddress else { return count == 0 }
        return memcmp(file, bytes, count) == 0
      }
    }
  }

  /// Whether a file is the whole one.
  func isEqual(_ file: [UInt8]?) -> Bool {
    file.map { $0.count == bytes.count && agrees($0, in: all) } ?? false
  }
}
