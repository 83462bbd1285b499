// SPDX-License-Identifier: Apache-2.0
//
// Checksum: a digest a file must have, and the ways it is written.
//
// Holds    as many digest bytes as its algorithm makes.
// Never    computes anything; Storage does, with libcrypto.

/// A digest algorithm winch can compute.
public enum ChecksumAlgorithm: String, Hashable, Sendable, CaseIterable {
  /// SHA-256 (FIPS 180-4), 32 bytes.
  case sha256 = "sha-256"
  /// SHA-512 (FIPS 180-4), 64 bytes.
  case sha512 = "sha-512"
  /// SHA-1, 20 bytes; only finds accidents.
  case sha1 = "sha-1"
  /// MD5, 16 bytes; only finds accidents.
  case md5 = "md5"

  /// Number of digest bytes.
  public var byteCount: Int {
    switch self {
    case .sha256: 32
    case .sha512: 64
    case .sha1: 20
    case .md5: 16
    }
  }

  /// The name for people, such as `SHA-256`.
  public var shown: String { rawValue.uppercased() }

  /// Reads a name as people write it: any case, with or without the dash.
  public init?(named name: some StringProtocol) {
    let plain = name.lowercased().filter { $0 != "-" && $0 != "_" }
    guard let match = Self.allCases.first(where: { $0.rawValue.filter { $0 != "-" } == plain })
    else { return nil }
    self = match
  }
}

/// Why a text is not a checksum.
public enum ChecksumError: Error, Hashable, Sendable {
  /// There is no `:` between algorithm and digits.
  case noAlgorithm
  /// The algorithm is none of those winch knows.
  case unknownAlgorithm(String)
  /// Something other than hexadecimal digits.
  case notHexadecimal
  /// The wrong number of digits: expected and found.
  case wrongLength(ChecksumAlgorithm, expected: Int, found: Int)

  /// One line that says what to do.
  public var remedy: String {
    let known = ChecksumAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
    switch self {
    case .noAlgorithm: return "write a checksum as ALGORITHM:DIGITS, for example sha-256:9c1f…"
    case .unknownAlgorithm(let name): return "no checksum algorithm '\(name)'; known: \(known)"
    case .notHexadecimal: return "a checksum has only the digits 0-9 and a-f"
    case .wrongLength(let algorithm, let expected, let found):
      return "\(algorithm.shown) has \(expected) digits, here are \(found)"
    }
  }
}

/// A digest that a whole file must have.
public struct Checksum: Hashable, Sendable {
  /// How it is computed.
  public let algorithm: ChecksumAlgorithm
  /// The digest, `algorithm.byteCount` bytes.
  public let digest: [UInt8]

  /// Makes a checksum; nil when the number of bytes does not fit the algorithm.
  public init?(algorithm: ChecksumAlgorithm, digest: [UInt8]) {
    guard digest.count == algorithm.byteCount else { return nil }
    self.algorithm = algorithm
    self.digest = digest
  }

  /// Reads `ALGORITHM:HEX`; case and spaces do not matter.
  ///
  /// - Parameter text: For example `sha-256:9C1F…`, 64 digits after the colon.
  /// - Throws: `ChecksumError` with a remedy.
  public init(parsing text: String) throws(ChecksumError) {
    guard let colon = text.firstIndex(of: ":") else { throw .noAlgorithm }
    let name = text[..<colon].filter { $0 != " " }
    guard let algorithm = ChecksumAlgorithm(named: name) else { throw .unknownAlgorithm(name) }
    let digits = text[text.index(after: colon)...].filter { !$0.isWhitespace }
    guard digits.utf8.allSatisfy({ hexValue($0) != nil }) else { throw .notHexadecimal }
    let expected = algorithm.byteCount * 2
    guard digits.utf8.count == expected else {
      throw .wrongLength(algorithm, expected: expected, found: digits.utf8.count)
    }
    self.algorithm = algorithm
    digest = bytes(fromHex: digits)
  }

  /// The digest in lower-case hexadecimal digits.
  public var hex: String { hexadecimal(digest) }

  /// `ALGORITHM:HEX`, as `init(parsing:)` reads it.
  public var text: String { "\(algorithm.rawValue):\(hex)" }
}

/// Bytes as lower-case hexadecimal digits.
public func hexadecimal(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef".utf8)
  let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  return String(decoding: text, as: UTF8.self)
}

/// The bytes that hexadecimal digits stand for; nil when they are not all digits, or odd in number.
public func bytes(fromHexadecimal digits: String) -> [UInt8]? {
  let isWhole = digits.utf8.count.isMultiple(of: 2)
  return isWhole && digits.utf8.allSatisfy { hexValue($0) != nil } ? bytes(fromHex: digits) : nil
}

private func hexValue(_ digit: UInt8) -> UInt8? {
  switch digit {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
  default: nil
  }
}

private func bytes(fromHex digits: String) -> [UInt8] {
  let values = digits.utf8.compactMap(hexValue)
  return stride(from: 0, to: values.count - 1, by: 2).map { values[$0] << 4 | values[$0 + 1] }
}
