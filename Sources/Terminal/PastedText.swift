// SPDX-License-Identifier: Apache-2.0
//
// Pasted bytes: where a bracketed paste ends, what of it is text, and which input is a paste though
// the terminal did not say so.
// Values, any thread, no clock.

import Frames

/// Pasted bytes as text.
enum PastedText {
  /// What ends a bracketed paste.
  static let endMark = Array("\u{1B}[201~".utf8)

  /// The most bytes kept of one paste; the rest is dropped.
  static let limit = 1 << 20

  /// What is kept of a paste that goes on: its beginning, and what may be half an end mark.
  static func limited(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.count > limit else { return bytes }
    let half = endMark.count - 1
    return Array(bytes[..<(limit - half)]) + bytes.suffix(half)
  }

  /// Where the last end mark begins, nil if there is none.
  ///
  /// - Parameters:
  ///   - bytes: All bytes of the paste so far.
  ///   - seen: How many of them are known to hold no whole mark.
  /// - Returns: The index of the mark's first byte.
  static func lastEndMark(in bytes: [UInt8], after seen: Int) -> Int? {
    var index = bytes.count - endMark.count
    while index >= max(0, seen - endMark.count + 1) {
      if bytes[index] == 0x1B && bytes[index..<index + endMark.count].elementsEqual(endMark) {
        return index
      }
      index -= 1
    }
    return nil
  }

  /// The text in pasted bytes: lines end in LF, marks and control bytes other than tabs are gone.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    var text = String.UnicodeScalarView()
    var afterReturn = false
    for scalar in String(decoding: withoutMarks(Array(bytes)), as: UTF8.self).unicodeScalars {
      defer { afterReturn = scalar == "\r" }
      switch scalar.value {
      case 0x0D: text.append("\n")
      case 0x0A: if !afterReturn { text.append("\n") }
      case 0x09: text.append("\t")
      case 0..<0x20, 0x7F..<0xA0: continue
      default: text.append(scalar)
      }
    }
    return String(text)
  }

  /// Takes out begin and end marks that were pasted themselves.
  private static func withoutMarks(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0x1B) else { return bytes }
    let marks = [Array("\u{1B}[200~".utf8), endMark]
    var kept: [UInt8] = []
    var index = 0
    while index < bytes.count {
      let rest = bytes[index...]
      if let mark = marks.first(where: { rest.starts(with: $0) }) {
        index += mark.count
      } else {
        kept.append(bytes[index])
        index += 1
      }
    }
    return kept
  }
}

/// Text that came faster than anybody types: a paste without brackets.
struct Burst: Sendable {
  private var bytes: [UInt8] = []

  /// Whether there is no burst.
  var isEmpty: Bool { bytes.isEmpty }

  /// Takes the bytes of one read if they begin a burst or go on with one.
  mutating func takes(_ more: [UInt8]) -> Bool {
    guard !more.isEmpty && more.allSatisfy(Self.isText) else { return false }
    guard !bytes.isEmpty || Self.isTooMuchForFingers(more) else { return false }
    if bytes.count + more.count <= PastedText.limit { bytes += more }
    return true
  }

  /// The paste, if there was a burst.
  mutating func finish() -> [Key] {
    guard !bytes.isEmpty else { return [] }
    defer { bytes = [] }
    return [.paste(PastedText.text(bytes))]
  }

  private static func isText(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }

  /// Eight characters of which five differ: a held key repeats one, keys typed ahead over a slow
  /// link are few.
  private static func isTooMuchForFingers(_ bytes: [UInt8]) -> Bool {
    let printable = bytes.filter { $0 > 0x20 }
    return printable.count >= 8 && Set(printable).count >= 5
  }
}
