// SPDX-License-Identifier: Apache-2.0
//
// SplitMix: numbers that look random and are the same for the same seed, so that a failure can be
// had again.
//
// Source   SplitMix64 (Steele, Lea and Flood, 2014).

/// A seeded generator.
public struct SplitMix: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// Makes the generator of a seed.
  public init(seed: UInt64) {
    state = seed
  }

  /// Another generator, for the same number the same one.
  public func split(_ number: UInt64) -> SplitMix {
    SplitMix(seed: state ^ (number &* 0xD6E8_FEB8_6659_FD93))
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
