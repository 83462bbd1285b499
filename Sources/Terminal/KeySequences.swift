// SPDX-License-Identifier: Apache-2.0
//
// The table of what terminals send for keys, from xterm's ctlseqs, console_codes(4) and rxvt.
// Modified cursor keys count as the plain ones. What is not in here is not a key.
// Constant data, any thread.

import Frames

/// What terminals send for keys.
enum KeySequences {
  /// The key of one byte below 0x80, Esc aside.
  static func plain(_ byte: UInt8) -> Key {
    switch byte {
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A: .newline
    case 0x0D: .enter
    case 0x01...0x1A: .control(Character(Unicode.Scalar(byte + 0x60)))
    case 0x00, 0x1B...0x1F: .control(Character(Unicode.Scalar(byte + 0x40)))
    default: .character(Character(Unicode.Scalar(byte)))
    }
  }

  /// The key of `ESC [ parameters final`, nil if it is none.
  static func key(_ parameters: [UInt8], _ final: UInt8) -> Key? {
    let numbers = parameters.split(separator: UInt8(ascii: ";")).map(number)
    switch final {
    case UInt8(ascii: "~"), UInt8(ascii: "^"), UInt8(ascii: "@"), UInt8(ascii: "$"):
      return numbers.first.flatMap { $0 }.flatMap { numbered[$0] }
    case UInt8(ascii: "P"), UInt8(ascii: "Q"), UInt8(ascii: "S"):
      return isModified(numbers) ? single[final] : nil
    default:
      return parameters.isEmpty || isModified(numbers) ? lettered[final] : nil
    }
  }

  /// Whether parameters are digits only, so that rxvt's `$` ends them.
  static func isNumber(_ parameters: [UInt8]) -> Bool {
    !parameters.isEmpty && parameters.allSatisfy { (0x30..<0x3A).contains($0) }
  }

  /// `1 ; modifier`, as xterm sends before a letter.
  private static func isModified(_ numbers: [Int?]) -> Bool {
    guard numbers.count == 2, numbers[0] == 1, let modifier = numbers[1] else { return false }
    return (2...16).contains(modifier)
  }

  /// The columns that a block took at the beginning of the second row: `2 ; column after it`.
  ///
  /// F3 with a modifier ends in the same letter, but begins with 1.
  static func widthOfBlock(_ parameters: [UInt8]) -> Int? {
    let numbers = parameters.split(separator: UInt8(ascii: ";")).map(number)
    guard numbers.count == 2, numbers[0] == 2, let column = numbers[1] else { return nil }
    return column - 1
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    Int(String(decoding: digits, as: UTF8.self))
  }

  /// Keys by the letter after `ESC [`; lower case is rxvt with Shift.
  private static let lettered: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "Z"): .backTab, UInt8(ascii: "a"): .up, UInt8(ascii: "b"): .down,
    UInt8(ascii: "c"): .right, UInt8(ascii: "d"): .left,
  ]

  /// Keys by the letter after `ESC O`; lower case is rxvt with Control, or the keypad.
  static let single: [UInt8: Key] = [
    UInt8(ascii: "A"): .up, UInt8(ascii: "B"): .down, UInt8(ascii: "C"): .right,
    UInt8(ascii: "D"): .left, UInt8(ascii: "H"): .home, UInt8(ascii: "F"): .end,
    UInt8(ascii: "P"): .function(1), UInt8(ascii: "Q"): .function(2),
    UInt8(ascii: "R"): .function(3), UInt8(ascii: "S"): .function(4),
    UInt8(ascii: "M"): .enter, UInt8(ascii: "a"): .up, UInt8(ascii: "b"): .down,
    UInt8(ascii: "c"): .right, UInt8(ascii: "d"): .left,
  ]

  /// Keys by the letter after `ESC [ [`.
  static let linux: [UInt8: Key] = [
    UInt8(ascii: "A"): .function(1), UInt8(ascii: "B"): .function(2),
    UInt8(ascii: "C"): .function(3), UInt8(ascii: "D"): .function(4),
    UInt8(ascii: "E"): .function(5),
  ]

  /// Keys by the number in `ESC [ number ~`.
  private static let numbered: [Int: Key] = [
    1: .home, 2: .insert, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    11: .function(1), 12: .function(2), 13: .function(3), 14: .function(4), 15: .function(5),
    17: .function(6), 18: .function(7), 19: .function(8), 20: .function(9), 21: .function(10),
    23: .function(11), 24: .function(12),
  ]
}
