// SPDX-License-Identifier: Apache-2.0
//
// Digest: a running digest by libcrypto (EVP_DigestInit_ex(3)).
//
// Owns     one EVP_MD_CTX, freed once. One thread at a time.
// Never    sees bytes out of order: whoever feeds it does so from the first byte to the last.

internal import CCrypto
public import Transfers

/// A digest that is being computed.
public struct Digest: ~Copyable {
  private let context: OpaquePointer

  /// Begins a digest.
  ///
  /// - Parameter algorithm: Which one.
  /// - Throws: `StorageError` with `unexpected` when libcrypto is set up not to offer it (FIPS).
  public init(_ algorithm: ChecksumAlgorithm) throws(StorageError) {
    guard let context = EVP_MD_CTX_new() else { throw Self.unavailable(algorithm) }
    guard EVP_DigestInit_ex(context, Self.method(algorithm), nil) == 1 else {
      EVP_MD_CTX_free(context)
      throw Self.unavailable(algorithm)
    }
    self.context = context
  }

  deinit { EVP_MD_CTX_free(context) }

  /// Adds the next bytes; any number of them.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    let result = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(result == 1, "a digest that has begun takes bytes")
  }

  /// Ends the digest.
  ///
  /// - Returns: `algorithm.byteCount` bytes.
  public consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: Int(EVP_MAX_MD_SIZE)) { bytes, count in
      var length: UInt32 = 0
      let result = EVP_DigestFinal_ex(context, bytes.baseAddress, &length)
      precondition(result == 1, "a digest that has begun can end")
      count = Int(length)
    }
  }

  private static func method(_ algorithm: ChecksumAlgorithm) -> OpaquePointer? {
    switch algorithm {
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    case .sha1: EVP_sha1()
    case .md5: EVP_md5()
    }
  }

  private static func unavailable(_ algorithm: ChecksumAlgorithm) -> StorageError {
    let detail = "libcrypto on this system does not offer \(algorithm.shown)"
    return StorageError(Failure(.unexpected, detail: detail))
  }
}
