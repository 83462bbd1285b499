// SPDX-License-Identifier: Apache-2.0
//
// Content: a file's bytes made from a key, a version and a size, so that any byte can be computed
// alone and a byte in the wrong place or of another version is recognised.

/// Bytes that can be computed.
public struct Content: Hashable, Sendable {
  /// What tells one file from another.
  public let key: String
  /// Two versions differ everywhere.
  public let version: Int
  /// How many bytes there are.
  public let size: Int64

  private let seed: UInt64

  /// Makes content.
  public init(key: String = "file", version: Int = 1, size: Int64) {
    self.key = key
    self.version = version
    self.size = size
    seed = "\(key):\(version)".utf8.reduce(0xCBF2_9CE4_8422_2325) { hash, byte in
      (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }
  }

  /// All bytes.
  public var bytes: [UInt8] { bytes(0..<size) }

  /// The bytes of a range within the size.
  public func bytes(_ range: Range<Int64>) -> [UInt8] {
    guard !range.isEmpty else { return [] }
    var made: [UInt8] = []
    let first = range.lowerBound / 8
    let last = (range.upperBound - 1) / 8
    made.reserveCapacity(Int(last - first + 1) * 8)
    for index in first...last {
      withUnsafeBytes(of: word(UInt64(index)).littleEndian) { made.append(contentsOf: $0) }
    }
    let skipped = Int(range.lowerBound - first * 8)
    return Array(made[skipped..<(skipped + Int(range.upperBound - range.lowerBound))])
  }

  /// The same file with other bytes.
  public func version(_ version: Int) -> Content {
    Content(key: key, version: version, size: size)
  }

  /// One word of SplitMix64.
  private func word(_ index: UInt64) -> UInt64 {
    var state = seed &+ (index &+ 1) &* 0x9E37_79B9_7F4A_7C15
    state = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
    state = (state ^ (state >> 27)) &* 0x94D0_49BB_1331_11EB
    return state ^ (state >> 31)
  }
}
