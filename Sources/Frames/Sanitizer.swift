// SPDX-License-Identifier: Apache-2.0
//
// The one door through which text from outside reaches the screen, a log or a message.
// What comes out holds nothing a terminal could obey, and only what terminals, tmux and glibc give
// the same width. Names on disk are another matter; they have a function of their own.
// Pure, any thread. Text is not normalised: composed and decomposed letters take the same columns.

/// Makes text from outside fit to be shown.
public enum Sanitizer {
  /// Returns text that is safe to show and can be measured.
  ///
  /// Controls and line separators become `·`, bidirectional controls `?`, scalars without a width
  /// U+FFFD; joiners, variation selectors, skin tones, tags and other invisible scalars go, as do
  /// combining marks from the third on a base and those without a base.
  ///
  /// - Parameters:
  ///   - text: Any text.
  ///   - repertoire: What may come out: one `?` stands for each other character.
  /// - Returns: The text to show.
  public static func shown(_ text: String, in repertoire: Repertoire = .unicode) -> String {
    let scalars = text.unicodeScalars
    guard let first = scalars.firstIndex(where: { !isKept($0, in: repertoire) }) else {
      return text
    }
    var shown = String(text[..<first])
    var marks = shown.isEmpty ? maximumMarks : 0
    for scalar in scalars[first...] {
      switch fate(of: scalar) {
      case .drop:
        continue
      case .mark:
        marks += 1
        if marks <= maximumMarks && repertoire == .unicode { shown.unicodeScalars.append(scalar) }
      case .base(let replacement):
        marks = 0
        shown.unicodeScalars.append(repertoire.holds(replacement) ? replacement : "?")
      }
    }
    return shown
  }

  /// Returns bytes as text that is safe to show, with U+FFFD for what is not UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: Any bytes, such as a file name or a header.
  ///   - repertoire: What may come out.
  /// - Returns: The text to show.
  public static func shown(
    bytes: some Collection<UInt8>,
    in repertoire: Repertoire = .unicode
  ) -> String {
    shown(String(decoding: bytes, as: UTF8.self), in: repertoire)
  }

  /// Whether text holds controls that change the order in which it is read, so that a name may not
  /// be what it seems.
  public static func hasHiddenCharacters(_ text: String) -> Bool {
    text.unicodeScalars.contains(where: isBidiControl)
  }

  /// Combining marks kept over one base; an ncurses cell and old terminals have room for no more.
  private static let maximumMarks = 2

  private enum Fate {
    case drop
    case mark
    case base(Unicode.Scalar)
  }

  /// Whether a scalar stays whatever stands before it.
  private static func isKept(_ scalar: Unicode.Scalar, in repertoire: Repertoire) -> Bool {
    if scalar.value >= 0x20 && scalar.value < 0x7F { return true }
    if repertoire != .unicode { return false }
    if case .base(scalar) = fate(of: scalar) { return true }
    return false
  }

  private static func fate(of scalar: Unicode.Scalar) -> Fate {
    if scalar.value >= 0x20 && scalar.value < 0x7F { return .base(scalar) }
    if isControl(scalar) { return .base("·") }
    if isBidiControl(scalar) { return .base("?") }
    if isInvisible(scalar) { return .drop }
    switch TextWidth.columns(of: scalar) {
    case 0: return .mark
    case 1, 2: return .base(scalar)
    default: return .base("\u{FFFD}")
    }
  }

  /// C0, DEL, C1, line and paragraph separator.
  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
    default: false
    }
  }

  /// Marks, embeddings, overrides and isolates of the bidirectional algorithm (UAX #9).
  private static func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }

  /// Skin tones and whatever else terminals do not agree on or do not show; the soft hyphen is one
  /// column everywhere and stays.
  private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0xAD: return false
    case 0x1F3FB...0x1F3FF, 0xFFF9...0xFFFB: return true
    default: break
    }
    return scalar.properties.isDefaultIgnorableCodePoint
      || TextWidth.columns(of: scalar) == 0 && scalar.properties.generalCategory == .format
  }
}
