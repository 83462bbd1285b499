// SPDX-License-Identifier: Apache-2.0
//
// SecretInput: what a line that is being edited shows in place of passwords.
//
// Holds    one star for each character that is hidden, so that a caret stays where it belongs.
// Never    parses a URL: the line may be half typed, a list's, or no link at all. In doubt it hides.

/// The rule for lines that are being edited.
public enum SecretInput {
  /// A line with the passwords in its links, and the values of fields that log in, as stars.
  ///
  /// - Parameter line: As typed or pasted.
  /// - Returns: A line of as many characters.
  public static func masked(_ line: String) -> String {
    var characters = Array(line)
    let words = characters.indices.split { characters[$0].isWhitespace }
    let hidden = words.compactMap { password(in: characters[$0.startIndex..<$0.endIndex]) }
    for index in (hidden + fieldValues(in: characters)).joined() { characters[index] = "*" }
    return String(characters)
  }

  /// Where the password of a word stands that may be a link.
  ///
  /// Without a host behind it what follows the colon may be a port, or a password that is not
  /// complete yet; only digits are taken for a port.
  private static func password(in word: ArraySlice<Character>) -> Range<Int>? {
    let link = word[hostStart(of: word)...]
    let end = link.firstIndex { "/?#".contains($0) } ?? link.endIndex
    let authority = link[..<end]
    guard let colon = authority.firstIndex(where: { begins($0, ":") }) else { return nil }
    let isOption = authority[..<colon].contains("=") && !authority.starts(with: "header=")
    if let at = authority.lastIndex(where: { begins($0, "@") }) {
      return colon < at ? colon + 1..<at : nil
    }
    let rest = authority[(colon + 1)...]
    guard !isOption, link.first != "[", rest.contains(where: { !$0.isNumber }) else { return nil }
    let at = link[end...].lastIndex { begins($0, "@") } ?? end
    return colon + 1..<at
  }

  /// Behind the scheme, however many slashes it has.
  private static func hostStart(of word: ArraySlice<Character>) -> Int {
    guard let colon = word.firstIndex(of: ":"), word[(colon + 1)...].first == "/" else {
      return word.startIndex
    }
    return word[(colon + 1)...].firstIndex { $0 != "/" } ?? word.endIndex
  }

  /// The values of fields such as `Cookie: …`, up to a quote or the end.
  private static func fieldValues(in line: [Character]) -> [Range<Int>] {
    line.indices.filter { begins(line[$0], ":") && line[($0 + 1)...].first == " " }
      .filter { isSecret(name: line[..<$0]) }
      .map { colon in
        let end = line[colon...].firstIndex { "'\"".contains($0) } ?? line.endIndex
        return min(colon + 2, end)..<end
      }
  }

  private static func isSecret(name text: ArraySlice<Character>) -> Bool {
    let start = text.lastIndex { !($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    let name = String(text[(start.map { $0 + 1 } ?? text.startIndex)...])
    return SecretQuery.isSecret(name: name)
  }

  /// A mark may bear an accent, which is no reason to show what follows it.
  private static func begins(_ character: Character, _ mark: Unicode.Scalar) -> Bool {
    character.unicodeScalars.first == mark
  }
}
