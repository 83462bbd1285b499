// SPDX-License-Identifier: Apache-2.0
//
// DigestTests: known answers of the four algorithms.

import Storage
import Testing
import Transfers

/// A digest of FIPS 180 or RFC 1321.
private let knownDigests: [(text: String, checksum: String)] = [
  ("", "sha-256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ("abc", "sha-256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  (
    "abc",
    "sha-512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
      + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
  ),
  ("abc", "sha-1:a9993e364706816aba3e25717850c26c9cd0d89d"),
  (
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "sha-1:84983e441c3bd26ebaae4aa1f95129e5e54670f1"
  ),
  ("abc", "md5:900150983cd24fb0d6963f7d28e17f72"),
  ("message digest", "md5:f96b697d7cb7938d525a2f31aaf161d0"),
]

@Suite("Digests")
struct DigestTests {
  @Test("Known texts have their known digests", arguments: knownDigests.indices)
  func knownAnswers(_ row: Int) throws {
    let (text, expected) = knownDigests[row]
    let checksum = try Checksum(parsing: expected)
    #expect(try digest(Array(text.utf8), checksum.algorithm) == checksum.digest)
  }

  @Test(
    "The digest does not depend on how the bytes are cut",
    arguments: ChecksumAlgorithm.allCases
  )
  func cutsDoNotMatter(_ algorithm: ChecksumAlgorithm) throws {
    let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let whole = try digest(bytes, algorithm)
    #expect(whole.count == algorithm.byteCount)
    for cut in [0, 1, 63, 64, 4999] {
      var parts = try Digest(algorithm)
      bytes[..<cut].withUnsafeBytes { parts.update($0) }
      bytes[cut...].withUnsafeBytes { parts.update($0) }
      #expect(parts.finish() == whole)
    }
  }

  private func digest(_ bytes: [UInt8], _ algorithm: ChecksumAlgorithm) throws -> [UInt8] {
    var digest = try Digest(algorithm)
    bytes.withUnsafeBytes { digest.update($0) }
    return digest.finish()
  }
}
