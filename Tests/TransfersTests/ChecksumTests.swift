// SPDX-License-Identifier: Apache-2.0
//
// Tests of Checksum: the ways people write a digest, and what they are told when it is none.

import Testing
import Transfers

private let md5 = "0123456789abcdef0123456789abcdef"

@Suite struct `Checksums` {
  @Test(
    arguments: [
      ("md5:\(md5)", .md5), ("MD5:\(md5.uppercased())", .md5), (" md5 : \(md5) ", .md5),
      ("md5:0123 4567 89ab cdef 0123 4567\t89ab cdef\n", .md5),
      ("sha1:\(md5)01234567", .sha1), ("SHA-1:\(md5)01234567", .sha1),
      ("sha256:\(md5)\(md5)", .sha256), ("sha-256:\(md5)\(md5)", .sha256),
      ("SHA_256:\(md5)\(md5)", .sha256), ("Sha-256:\(md5)\(md5.uppercased())", .sha256),
      ("sha512:\(md5)\(md5)\(md5)\(md5)", .sha512), ("SHA-512:\(md5)\(md5)\(md5)\(md5)", .sha512),
    ] as [(String, ChecksumAlgorithm)]
  )
  func `case, dashes and spaces do not matter`(text: String, algorithm: ChecksumAlgorithm) throws {
    let checksum = try Checksum(parsing: text)
    let digits = String(repeating: md5, count: 4).prefix(algorithm.byteCount * 2)
    #expect(checksum.algorithm == algorithm)
    #expect(checksum.hex == digits)
    #expect(checksum.text == "\(algorithm.rawValue):\(digits)")
    #expect(try Checksum(parsing: checksum.text) == checksum)
  }

  @Test(
    arguments: [
      ("", .noAlgorithm), (md5, .noAlgorithm), ("sha256 \(md5)", .noAlgorithm),
      (":\(md5)", .unknownAlgorithm("")), ("crc32:01234567", .unknownAlgorithm("crc32")),
      ("sha-384:\(md5)", .unknownAlgorithm("sha-384")),
      ("sha-2560:\(md5)", .unknownAlgorithm("sha-2560")),
      ("md5:\(md5.dropLast())g", .notHexadecimal), ("md5:0x\(md5)", .notHexadecimal),
      ("md5:01:23:45", .notHexadecimal), ("md5:０１", .notHexadecimal),
      ("md5:", .wrongLength(.md5, expected: 32, found: 0)),
      ("md5:\(md5.dropLast())", .wrongLength(.md5, expected: 32, found: 31)),
      ("md5:\(md5)0", .wrongLength(.md5, expected: 32, found: 33)),
      ("sha-256:\(md5)", .wrongLength(.sha256, expected: 64, found: 32)),
      ("sha1:\(md5)", .wrongLength(.sha1, expected: 40, found: 32)),
      ("sha512:\(md5)", .wrongLength(.sha512, expected: 128, found: 32)),
    ] as [(String, ChecksumError)]
  )
  func `what is no checksum is refused with its reason`(text: String, reason: ChecksumError) {
    #expect(throws: reason) { try Checksum(parsing: text) }
  }

  @Test(
    arguments: [
      (.noAlgorithm, "write a checksum as ALGORITHM:DIGITS, for example sha-256:9c1f…"),
      (
        .unknownAlgorithm("crc32"),
        "no checksum algorithm 'crc32'; known: sha-256, sha-512, sha-1, md5"
      ),
      (.notHexadecimal, "a checksum has only the digits 0-9 and a-f"),
      (.wrongLength(.sha256, expected: 64, found: 63), "SHA-256 has 64 digits, here are 63"),
    ] as [(ChecksumError, String)]
  )
  func `every reason has a line that says what to do`(reason: ChecksumError, line: String) {
    #expect(reason.remedy == line)
  }

  @Test(arguments: ChecksumAlgorithm.allCases, [-1, 0, 1])
  func `a digest must have the length of its algorithm`(
    algorithm: ChecksumAlgorithm,
    excess: Int
  ) {
    let digest = [UInt8](repeating: 0xA5, count: algorithm.byteCount + excess)
    #expect((Checksum(algorithm: algorithm, digest: digest) != nil) == (excess == 0))
  }

  @Test func `bytes become two lower-case digits each`() {
    #expect(hexadecimal([]) == "")
    #expect(hexadecimal([0x00, 0x0F, 0xA0, 0xFF]) == "000fa0ff")
  }

  @Test func `a parsed digest has the bytes that were written`() throws {
    let bytes: [UInt8] = [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF]
    #expect(try Checksum(parsing: "md5:\(md5)").digest == bytes + bytes)
  }
}
