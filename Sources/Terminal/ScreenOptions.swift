// SPDX-License-Identifier: Apache-2.0
//
// What a screen is opened with, why it may not open, and what became of a frame.
// Plain values, any thread.

public import Frames

/// What became of a frame.
public enum Presented: Hashable, Sendable {
  /// It is on its way to the terminal.
  case painted
  /// It equals the last one; nothing was sent.
  case unchanged
  /// The terminal takes no output now; the frame was dropped, present again later.
  case held
  /// The terminal is gone, or has been given back.
  case gone
}

/// What a screen is opened with.
public struct ScreenOptions: Hashable, Sendable {
  /// The terminfo entry, as `TerminalChoice` found it.
  public var entry: String
  /// The size to begin with; nil asks the output descriptor.
  public var size: Size?
  /// Whether colours are wanted; attributes are always used.
  public var usesColor: Bool

  /// Creates options.
  public init(entry: String, size: Size? = nil, usesColor: Bool = true) {
    self.entry = entry
    self.size = size
    self.usesColor = usesColor
  }
}

/// Why there is no screen.
public enum ScreenError: Error, Hashable, Sendable {
  /// A descriptor could not be duplicated; holds errno.
  case badDescriptor(Int32)
  /// ncurses does not take the terminal type.
  case unusableType(String)
}
