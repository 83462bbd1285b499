// SPDX-License-Identifier: Apache-2.0
//
// A character of several UTF-8 bytes that is still arriving.
// A value, any thread. Bytes that do not fit make it broken; nothing is guessed.

/// A character of several UTF-8 bytes that is still arriving (RFC 3629).
struct UTF8Sequence: Hashable, Sendable {
  /// What a further byte makes of a sequence.
  enum Next: Hashable, Sendable {
    /// Still more to come.
    case more(UTF8Sequence)
    /// The character.
    case complete(Character)
    /// Not UTF-8; the byte begins something else.
    case broken
  }

  /// Whether an Esc stood before it.
  let isAlt: Bool
  private let length: Int
  private var bytes: [UInt8]

  /// Begins with a leading byte; nil if it is none.
  init?(first: UInt8, isAlt: Bool) {
    switch first {
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default: return nil
    }
    self.isAlt = isAlt
    bytes = [first]
  }

  /// Adds a byte.
  func adding(_ byte: UInt8) -> Next {
    guard byte & 0xC0 == 0x80 else { return .broken }
    var longer = self
    longer.bytes.append(byte)
    guard longer.bytes.count == length else { return .more(longer) }
    let text = String(decoding: longer.bytes, as: UTF8.self)
    guard text.unicodeScalars.count == 1, text != "\u{FFFD}", let character = text.first else {
      return .complete("\u{FFFD}")
    }
    return .complete(character)
  }
}
