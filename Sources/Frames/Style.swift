// SPDX-License-Identifier: Apache-2.0
//
// How a cell looks: a colour role and attributes.
// A role says what the cell means, never a colour; `Terminal` owns the one table from role to
// colour, and the attributes that stand in for it where there is none.
// Plain values, any thread.

/// What a cell means, from which the terminal picks its colour.
public enum Role: UInt8, Hashable, Sendable, CaseIterable {
  /// Text in the terminal's own colour.
  case plain
  /// A heading line: reverse video.
  case header
  /// A bar or letter of a running transfer: green.
  case running
  /// A bar or letter of a transfer being verified: magenta.
  case verify
  /// Something that waits or stalls: yellow, on letters and bars only.
  case attention
  /// A failure: red and bold.
  case failed
  /// A connection being made: cyan, on the letter only.
  case connect
  /// A sparkline or speed graph: green.
  case spark
  /// Something of little weight: dim.
  case dim
}

/// Attributes that hold without any colour.
public struct Attributes: OptionSet, Hashable, Sendable {
  /// The set bits.
  public let rawValue: UInt8

  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Bold.
  public static let bold = Attributes(rawValue: 1)
  /// Foreground and background exchanged.
  public static let reverse = Attributes(rawValue: 2)
  /// Underlined.
  public static let underline = Attributes(rawValue: 4)
  /// Dim.
  public static let dim = Attributes(rawValue: 8)
}

/// How a cell looks.
public struct Style: Hashable, Sendable {
  /// What the cell means.
  public var role: Role
  /// What is added to the role's look.
  public var attributes: Attributes

  /// Creates a style.
  public init(_ role: Role = .plain, _ attributes: Attributes = []) {
    self.role = role
    self.attributes = attributes
  }

  /// The terminal's own text.
  public static let plain = Style()

  /// Returns the same style with attributes added.
  public func adding(_ more: Attributes) -> Style {
    Style(role, attributes.union(more))
  }

  /// One letter for style layers in tests.
  ///
  /// The role's letter, a capital if reversed; plain cells show `.`, or `P` reversed, `b` bold,
  /// `u` underlined, `d` dim.
  var letter: Character {
    let reversed = attributes.contains(.reverse)
    switch role {
    case .plain: return reversed ? "P" : plainLetter
    case .header: return reversed ? "H" : "h"
    case .running: return reversed ? "R" : "r"
    case .verify: return reversed ? "V" : "v"
    case .attention: return reversed ? "A" : "a"
    case .failed: return reversed ? "F" : "f"
    case .connect: return reversed ? "C" : "c"
    case .spark: return reversed ? "S" : "s"
    case .dim: return reversed ? "D" : "d"
    }
  }

  private var plainLetter: Character {
    if attributes.contains(.bold) { return "b" }
    if attributes.contains(.underline) { return "u" }
    return attributes.contains(.dim) ? "d" : "."
  }
}
