// SPDX-License-Identifier: Apache-2.0
//
// SecretQuery: which queries of URLs are not for people's eyes, and how they are hidden.
//
// Holds    one rule: a query is hidden whole when it is long, or when the name of a parameter looks
//          like a key, a token, a signature or a login.
// Never    parses a URL: it takes any text, so that a link which is none can be shown as well.

/// The rule for queries that may open a door.
public enum SecretQuery {
  /// The most bytes of a query that is shown; signed ones are longer.
  private static let shownLength = 60

  /// Parts of the names of parameters whose values are secrets.
  private static let words = [
    "token", "sig", "key", "pass", "pwd", "secret", "auth", "credential", "session", "jwt", "sid",
    "ticket", "cookie",
  ]

  /// A text with what follows its first `?` replaced by `…` where that may be a secret.
  ///
  /// - Parameter text: A URL, or what was meant to be one.
  /// - Returns: The text itself when there is nothing to hide.
  public static func hidden(in text: String) -> String {
    guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
    let query = text[text.utf8.index(after: mark)...]
    return isSecret(query) ? "\(text[...mark])…" : text
  }

  private static func isSecret(_ query: Substring) -> Bool {
    if query.utf8.count > shownLength { return true }
    return query.split { "&;?".contains($0) }.contains { isSecret(parameter: $0) }
  }

  /// An encoded name counts as secret: nobody needs to encode an honest one.
  private static func isSecret(parameter: Substring) -> Bool {
    isSecret(name: String(parameter.prefix { $0 != "=" }))
  }

  /// Whether what bears this name may open a door.
  static func isSecret(name: String) -> Bool {
    let name = name.lowercased()
    return name.utf8.contains(UInt8(ascii: "%")) || words.contains { holds(name, $0) }
  }

  private static func holds(_ name: String, _ word: String) -> Bool {
    var rest = name.utf8[...]
    while rest.count >= word.utf8.count {
      if rest.starts(with: word.utf8) { return true }
      rest = rest.dropFirst()
    }
    return false
  }
}
