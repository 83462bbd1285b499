// SPDX-License-Identifier: Apache-2.0
//
// CurlCommand: a `curl …` command line, as browsers copy it, read as one file to fetch.
//
// Holds    what has been read of the command; the file comes out whole or not at all.
// Source   curl(1). Any thread. Pure: nothing is run.

import Connections
import Transfers

/// A curl command.
struct CurlCommand {
  private var words: ArraySlice<String>
  private var link: Link?
  private var login: Login?
  private var output: String?
  private var checksum: Checksum?
  private var said: (directory: String?, trust: Trust?) = (nil, nil)
  private var headers: [HeaderField] = []

  /// Whether a line without blanks around it is such a command.
  static func begins(_ text: String) -> Bool {
    text == "curl" || text.hasPrefix("curl ") || text.hasPrefix("curl\t")
  }

  /// Reads a command.
  ///
  /// - Parameter text: The command, continued lines joined.
  /// - Returns: The file to fetch.
  /// - Throws: Why it is none.
  static func entry(_ text: String) throws(ListProblem) -> ListEntry {
    let isForWindows = text.contains("^\"") || text.utf8.last == UInt8(ascii: "^")
    if isForWindows { throw .command(.windows) }
    var command = Self(words: try ShellWords(text).words.dropFirst())
    while let word = command.words.popFirst() { try command.take(word) }
    return try command.entry()
  }

  private init(words: ArraySlice<String>) {
    self.words = words
  }

  private func entry() throws(ListProblem) -> ListEntry {
    guard let link else { throw .command(.noLink) }
    let whole = login.map {
      Link(text: link.text, origin: link.origin, path: link.path, login: $0)
    }
    var entry = ListEntry(links: [whole ?? link], checksum: checksum, headers: headers)
    (entry.directory, entry.trust) = said
    if let output { try entry.save(as: output) }
    return entry
  }

  private mutating func take(_ word: String) throws(ListProblem) {
    if word.hasPrefix("--") {
      let name = word.dropFirst(2)
      guard let option = CurlOption(name: name) else { throw Self.unknown("--", name) }
      return try apply(option, option.hasValue ? try value() : "")
    }
    if word.hasPrefix("-") && word.count > 1 { return try takeLetters(word.dropFirst()) }
    try takeLink(word)
  }

  /// Takes `sSLo` in `-sSLo x`, or `HName: value`.
  private mutating func takeLetters(_ letters: Substring) throws(ListProblem) {
    var letters = letters
    while let letter = letters.popFirst() {
      guard let option = CurlOption(letter: letter) else {
        throw Self.unknown("-", String(letter))
      }
      guard option.hasValue else {
        try apply(option, "")
        continue
      }
      return try apply(option, letters.isEmpty ? try value() : String(letters))
    }
  }

  /// What follows an `=` may be a secret.
  private static func unknown(_ dashes: String, _ name: some StringProtocol) -> ListProblem {
    .command(.unknownOption(dashes + name.prefix { $0.isASCII && $0.isLetter || $0 == "-" }))
  }

  private mutating func value() throws(ListProblem) -> String {
    guard let value = words.popFirst() else { throw .command(.noValue) }
    return value
  }

  private mutating func apply(_ option: CurlOption, _ value: String) throws(ListProblem) {
    switch option {
    case .header:
      if value.hasPrefix("@") { throw .command(.readsFile) }
      add(try HeaderLine.field(value))
    case .cookie:
      guard value.contains("=") else { throw .command(.readsFile) }
      add(try HeaderLine.field("Cookie", value))
    case .userAgent: add(try HeaderLine.field("User-Agent", value))
    case .referer:
      let isAutomatic = value.hasSuffix(";auto")
      add(try HeaderLine.field("Referer", isAutomatic ? String(value.dropLast(5)) : value))
    case .output: output = value
    case .directory: said.directory = value
    case .insecure: said.trust = .anything
    case .login: login = try Self.login(value)
    case .link: try takeLink(value)
    case .method: if value != "GET" { throw .command(.otherMethod) }
    case .data: throw .command(.sendsData)
    case .otherMethod: throw .command(.otherMethod)
    case .ignored, .ignoredValue: break
    }
  }

  private mutating func add(_ field: HeaderField?) {
    if let field { headers.append(field) }
  }

  private static func login(_ value: String) throws(ListProblem) -> Login {
    guard let colon = value.firstIndex(of: ":"), colon > value.startIndex else {
      throw .command(.noPassword)
    }
    return Login(
      user: String(value[..<colon]),
      password: String(value[value.index(after: colon)...])
    )
  }

  /// curl takes a link without a scheme as http.
  private mutating func takeLink(_ word: String) throws(ListProblem) {
    guard link == nil else { throw .command(.severalLinks) }
    let (text, checksum) = try LinkLine.divided(word)
    do throws(LinkError) {
      link = try Link(parsing: text)
    } catch .noScheme(_?) {
      link = try? Link(parsing: "http://\(text)")
    } catch {
      throw .link(error)
    }
    self.checksum = checksum
  }
}
