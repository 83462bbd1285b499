// SPDX-License-Identifier: Apache-2.0
//
// The one table from a cell's role to colour and attributes.
// Every colour call is checked: terminals have 8 colours, or none, or no default background; what
// they cannot do falls back to attributes. The background is never set.
// Made on the main thread while its screen is the current one; a value after that.

import CNcurses
import Frames

/// How roles look on one terminal.
struct Palette {
  /// The pair of each role; 0, the terminal's own colours, where there is none.
  private var pairs = [Int16](repeating: 0, count: Role.allCases.count)

  /// Sets the colours up on the current screen.
  ///
  /// - Parameter usesColor: Whether colour is wanted at all.
  @MainActor
  init(usesColor: Bool) {
    guard usesColor, has_colors(), start_color() == OK, use_default_colors() == OK else { return }
    for role in Role.allCases {
      guard let color = Self.color(of: role), Int32(color) < curses_colors() else { continue }
      let pair = Int16(role.rawValue) + 1
      if init_pair(pair, color, -1) == OK { pairs[Int(role.rawValue)] = pair }
    }
  }

  /// The colour pair of a style.
  func pair(_ style: Style) -> Int16 { pairs[Int(style.role.rawValue)] }

  /// The attributes of a style: its own and those of its role.
  func attributes(_ style: Style) -> attr_t {
    let wanted = style.attributes.union(Self.attributes(of: style.role))
    var attributes: attr_t = 0
    if wanted.contains(.bold) { attributes |= curses_bold() }
    if wanted.contains(.reverse) { attributes |= curses_reverse() }
    if wanted.contains(.underline) { attributes |= curses_underline() }
    if wanted.contains(.dim) { attributes |= curses_dim() }
    return attributes
  }

  private static func color(of role: Role) -> Int16? {
    switch role {
    case .plain, .header, .dim: nil
    case .running, .spark: Int16(COLOR_GREEN)
    case .verify: Int16(COLOR_MAGENTA)
    case .attention: Int16(COLOR_YELLOW)
    case .failed: Int16(COLOR_RED)
    case .connect: Int16(COLOR_CYAN)
    }
  }

  private static func attributes(of role: Role) -> Attributes {
    switch role {
    case .header: .reverse
    case .failed: .bold
    case .dim: .dim
    case .plain, .running, .verify, .attention, .connect, .spark: []
    }
  }
}

/// Whether colours are used.
public enum ColorChoice: Hashable, Sendable, CaseIterable {
  /// Unless NO_COLOR is set and not empty (no-color.org).
  case auto
  /// Wherever the terminal has them.
  case always
  /// Not at all; attributes stay.
  case never

  /// Whether colours are wanted.
  ///
  /// - Parameter noColor: The value of NO_COLOR, nil if it is not set.
  /// - Returns: True if they are.
  public func usesColor(noColor: String?) -> Bool {
    switch self {
    case .auto: noColor?.isEmpty ?? true
    case .always: true
    case .never: false
    }
  }
}
