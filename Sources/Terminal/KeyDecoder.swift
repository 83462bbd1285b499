// SPDX-License-Identifier: Apache-2.0
//
// Keys out of the bytes a terminal sends: xterm, linux, rxvt, tmux, screen.
// Bytes may be cut anywhere. What is not a known key is swallowed whole, never shown as letters.
// A value without a clock: whoever owns it calls `timeout` when nothing came for a while.

public import Frames

/// Keys out of the bytes a terminal sends.
public struct KeyDecoder: Sendable {
  /// How many `ESC [ 0 n` have arrived, the answers to `CursesScreen.requestStatusReport`.
  public private(set) var statusReports = 0
  /// How many columns a block takes, the answer to `CursesScreen.probeWidth`; nil before it.
  public private(set) var blockWidth: Int?

  private var state = State.ground
  private var burst = Burst()

  /// Creates a decoder that has seen nothing.
  public init() {}

  /// Whether `timeout` would bring something.
  ///
  /// That is an Esc that may be the start of a sequence, or a burst that may go on. Call it after 50 ms without input (ESCDELAY), after 250 ms while
  /// a status report is expected.
  public var isWaiting: Bool { state == .escape || !burst.isEmpty }

  /// Takes bytes and returns the keys that are complete.
  ///
  /// A read of many different characters and nothing else was not typed: it is gathered as a paste,
  /// with all that follows it at once, and comes out of `timeout` or before the next key.
  ///
  /// - Parameter bytes: What one read brought.
  /// - Returns: Keys and pastes in their order.
  public mutating func feed(_ bytes: [UInt8]) -> [Key] {
    if state == .ground && burst.takes(bytes) { return [] }
    var keys = burst.finish()
    var index = 0
    while index < bytes.count {
      if case .paste(let begun) = state {
        index = paste(begun, bytes, from: index, &keys)
      } else {
        take(bytes[index], &keys)
        index += 1
      }
    }
    return keys
  }

  /// Nothing came for a while: a lone Esc is the Esc key, a burst is a paste.
  ///
  /// Sequences that have begun go on waiting, so that an answer of the terminal split by a slow
  /// link never acts as keys.
  public mutating func timeout() -> [Key] {
    let keys = burst.finish()
    guard state == .escape else { return keys }
    state = .ground
    return keys + [.escape]
  }

  /// What the next byte continues.
  private enum State: Equatable {
    case ground
    /// A character of several bytes.
    case utf8(UTF8Sequence)
    case escape
    /// After `ESC [`, with what has come since.
    case control([UInt8])
    /// After `ESC O`, with a modifier digit if there was one.
    case single([UInt8])
    /// After `ESC [ [`: the function keys of the Linux console.
    case linux
    /// After `ESC [ M`: three bytes of an old mouse report to go.
    case mouse(Int)
    /// Inside OSC, DCS, APC, PM or SOS, up to BEL or ST; whether an ESC was the last byte.
    case string(afterEscape: Bool)
    case paste([UInt8])
  }

  private mutating func take(_ byte: UInt8, _ keys: inout [Key]) {
    switch state {
    case .ground: ground(byte, &keys)
    case .utf8(let sequence): continued(sequence, byte, &keys)
    case .escape: escape(byte, &keys)
    case .control(let begun): control(begun, byte, &keys)
    case .single(let begun): single(begun, byte, &keys)
    case .linux: finish(KeySequences.linux[byte], &keys)
    case .mouse(let left): state = left > 1 ? .mouse(left - 1) : .ground
    case .string(let afterEscape): string(afterEscape, byte)
    case .paste: break
    }
  }

  /// Back to the ground state, with a key if there is one.
  private mutating func finish(_ key: Key?, _ keys: inout [Key]) {
    state = .ground
    if let key { keys.append(key) }
  }

  private mutating func ground(_ byte: UInt8, _ keys: inout [Key]) {
    if byte == 0x1B {
      state = .escape
    } else if byte < 0x80 {
      keys.append(KeySequences.plain(byte))
    } else if let sequence = UTF8Sequence(first: byte, isAlt: false) {
      state = .utf8(sequence)
    }
  }

  private mutating func continued(
    _ sequence: UTF8Sequence,
    _ byte: UInt8,
    _ keys: inout [Key]
  ) {
    switch sequence.adding(byte) {
    case .more(let longer): state = .utf8(longer)
    case .complete(let character):
      finish(sequence.isAlt ? .alt(character) : .character(character), &keys)
    case .broken:
      state = .ground
      ground(byte, &keys)
    }
  }

  private mutating func escape(_ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case UInt8(ascii: "["): state = .control([])
    case UInt8(ascii: "O"): state = .single([])
    case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"),
      UInt8(ascii: "_"):
      state = .string(afterEscape: false)
    case 0x1B: keys.append(.escape)
    case 0x7F: finish(.control("w"), &keys)
    case 0x20..<0x7F: finish(.alt(Character(Unicode.Scalar(byte))), &keys)
    case 0x80...: alternative(byte, &keys)
    default:
      finish(.escape, &keys)
      ground(byte, &keys)
    }
  }

  private mutating func alternative(_ byte: UInt8, _ keys: inout [Key]) {
    guard let sequence = UTF8Sequence(first: byte, isAlt: true) else {
      return finish(.escape, &keys)
    }
    state = .utf8(sequence)
  }

  private mutating func control(_ begun: [UInt8], _ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case 0x1B: state = .escape
    case UInt8(ascii: "[") where begun.isEmpty: state = .linux
    case UInt8(ascii: "M") where begun.isEmpty: state = .mouse(3)
    case UInt8(ascii: "$") where KeySequences.isNumber(begun): ended(begun, byte, &keys)
    case 0x20..<0x40: state = begun.count < 64 ? .control(begun + [byte]) : state
    case 0x40..<0x7F: ended(begun, byte, &keys)
    default: finish(nil, &keys)
    }
  }

  private mutating func ended(_ parameters: [UInt8], _ final: UInt8, _ keys: inout [Key]) {
    if final == UInt8(ascii: "~") && parameters == Array("200".utf8) {
      state = .paste([])
      return
    }
    if final == UInt8(ascii: "n") && parameters == Array("0".utf8) { statusReports += 1 }
    if final == UInt8(ascii: "R") {
      blockWidth = KeySequences.widthOfBlock(parameters) ?? blockWidth
    }
    finish(KeySequences.key(parameters, final), &keys)
  }

  private mutating func single(_ begun: [UInt8], _ byte: UInt8, _ keys: inout [Key]) {
    switch byte {
    case 0x1B: state = .escape
    case 0x30..<0x3C where begun.count < 8: state = .single(begun + [byte])
    default: finish(KeySequences.single[byte], &keys)
    }
  }

  private mutating func string(_ afterEscape: Bool, _ byte: UInt8) {
    let isEnd = byte == 0x07 || byte == 0x18 || byte == 0x1A || afterEscape && byte == 0x5C
    state = isEnd ? .ground : .string(afterEscape: byte == 0x1B)
  }

  /// Gathers a bracketed paste, which ends with the last end mark in these bytes.
  ///
  /// A mark inside the pasted text ends nothing: text after it would act as keys.
  ///
  /// - Returns: The index after what belongs to the paste.
  private mutating func paste(
    _ begun: [UInt8],
    _ bytes: [UInt8],
    from index: Int,
    _ keys: inout [Key]
  ) -> Int {
    let all = begun + bytes[index...]
    guard let end = PastedText.lastEndMark(in: all, after: begun.count) else {
      state = .paste(PastedText.limited(all))
      return bytes.count
    }
    finish(.paste(PastedText.text(all[..<end])), &keys)
    return index + end + PastedText.endMark.count - begun.count
  }
}
