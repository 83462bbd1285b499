// SPDX-License-Identifier: Apache-2.0
//
// LinkRequests: from the links and lists of a command line to requests.
//
// Holds    every good link as a request and every bad one as a line that says what to do.
// Never    lets a bad line spoil the good ones.

import Connections
import Frames
import Transfers

/// What a command line asks to be fetched.
struct LinkRequests {
  /// One for each good link, in the order given.
  private(set) var requests: [TransferRequest] = []
  /// One line for each bad one, safe to show.
  private(set) var problems: [String] = []

  /// Reads links and lists.
  init(_ options: Options) {
    let mirrors = options.mirrors.compactMap { parse($0, "mirror") }
    for text in options.links {
      guard let link = parse(text, nil) else { continue }
      requests.append(Self.request([link] + mirrors, options))
    }
    for list in options.lists { read(list, options) }
  }

  /// A request with the options of the command line.
  static func request(_ links: [Link], _ options: Options) -> TransferRequest {
    TransferRequest(
      mirrors: links,
      directory: options.directory,
      name: options.name,
      connections: options.connections,
      checksum: options.checksum,
      headers: options.headers,
      trust: options.trust,
      cookieFile: options.cookieFile
    )
  }

  private mutating func parse(_ text: String, _ what: String?) -> Link? {
    switch Self.judge(text) {
    case .success(let link):
      return link
    case .failure(let error):
      let prefix = what.map { "\($0) " } ?? ""
      problems.append("\(prefix)\(Self.shown(text)): \(error.line)")
      return nil
    }
  }

  private mutating func read(_ list: String, _ options: Options) {
    do throws(ListError) {
      let lines = LinkList(try ListSource.read(list), judge: Self.judge)
      requests += lines.good.map { Self.request([$0.link], options) }
      for line in lines.bad {
        let place = "\(list == "-" ? "standard input" : Self.shown(list)), line \(line.number)"
        problems.append("\(place): \(Self.shown(line.text)): \(Self.words(line.problem))")
      }
    } catch {
      problems.append(error.line)
    }
  }

  /// Whether one text is a link.
  static func judge(_ text: String) -> Result<Link, LinkError> {
    Result { () throws(LinkError) in try Link(parsing: text) }
  }

  private static func words(_ problem: LinkList<Link, LinkError>.Problem) -> String {
    switch problem {
    case .notText: "not UTF-8 text; skipped"
    case .refused(let error): error.line
    }
  }

  private static func shown(_ text: String) -> String {
    let shown = Sanitizer.shown(SecretQuery.hidden(in: withoutLogin(text)))
    return shown.count > 120 ? shown.prefix(119) + "…" : shown
  }

  /// The text without what may be a login, since even a bad link can hold a password.
  private static func withoutLogin(_ text: String) -> String {
    guard let at = text.lastIndex(of: "@") else { return text }
    let start = text[..<at].firstIndex(of: ":").map { text.index(after: $0) } ?? text.startIndex
    return text[..<start] + "***" + text[at...]
  }
}
