// SPDX-License-Identifier: Apache-2.0
//
// Bytes as header fields have them (RFC 4648 section 4).

private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

/// The text of bytes.
public func base64(_ bytes: [UInt8]) -> String {
  let bits = bytes.flatMap { byte in (0..<8).map { Int(byte >> (7 - $0)) & 1 } }
  let padded = bits + Array(repeating: 0, count: (6 - bits.count % 6) % 6)
  let digits = stride(from: 0, to: padded.count, by: 6).map { start in
    alphabet[padded[start..<start + 6].reduce(0) { $0 * 2 + $1 }]
  }
  return String(digits) + String(repeating: "=", count: (4 - digits.count % 4) % 4)
}
