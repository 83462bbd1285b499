// SPDX-License-Identifier: Apache-2.0
//
// FoundDigest: a digest of the whole file that the server itself announces.
//
// Source   RFC 9530: `Repr-Digest: sha-256=:BASE64:`; the older `Digest: sha-256=BASE64` (RFC 3230).
// Never    believes `Content-Digest`, which covers one answer's bytes only.

import Connections
import Transfers

/// Digests in response fields.
enum FoundDigest {
  /// The strongest usable digest in a head, or nil.
  static func best(in head: ResponseHead) -> Checksum? {
    // It covers the bytes as they are sent, and a coding is undone before they are written.
    guard head.contentCoding == nil else { return nil }
    let texts = [head.text("repr-digest"), head.text("digest")].compactMap { $0 }
    let found = texts.flatMap { $0.split(separator: ",") }.compactMap(parse)
    return found.first { $0.algorithm == .sha512 } ?? found.first { $0.algorithm == .sha256 }
  }

  private static func parse(_ member: Substring) -> Checksum? {
    guard let equals = member.firstIndex(of: "=") else { return nil }
    let name = member[..<equals].filter { $0 != " " }
    let value = member[member.index(after: equals)...].filter { $0 != " " && $0 != ":" }
    guard let algorithm = ChecksumAlgorithm(named: name), let bytes = decode(base64: value)
    else { return nil }
    return Checksum(algorithm: algorithm, digest: bytes)
  }

  /// RFC 4648 section 4; nil for anything else.
  private static func decode(base64 text: String) -> [UInt8]? {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    var bytes: [UInt8] = []
    var bits = 0
    var held = 0
    for digit in text.utf8 where digit != UInt8(ascii: "=") {
      guard let value = alphabet.firstIndex(of: digit) else { return nil }
      held = held << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> bits))
        held &= (1 << bits) - 1
      }
    }
    return bytes
  }
}
