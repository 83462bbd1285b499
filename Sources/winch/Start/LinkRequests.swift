// SPDX-License-Identifier: Apache-2.0
//
// LinkRequests: from the links and lists of a command line to requests.
//
// Holds    every good link as a request and every bad one as a line that says what to do. A file
//          that is asked for twice in the same place is one request.
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

  private var asked: Set<Asked> = []

  /// What makes two requests one.
  private struct Asked: Hashable {
    let link: String
    let directory: String
    let name: String?
  }

  /// Reads links and lists.
  init(_ options: Options) {
    let mirrors = options.mirrors.flatMap { parse($0, "mirror ")?.links ?? [] }
    for text in options.links {
      guard var entry = parse(text, "") else { continue }
      entry.links += mirrors
      add(entry, options)
    }
    for list in options.lists { read(list, options) }
  }

  /// A request with the options of the command line; what the list says of its own goes first.
  static func request(_ entry: ListEntry, _ options: Options) -> TransferRequest {
    let named = Set(entry.headers.map { $0.name.lowercased() })
    return TransferRequest(
      mirrors: entry.links,
      directory: Options.path(entry.directory ?? "", in: options.directory),
      name: entry.name ?? options.name,
      connections: options.connections,
      checksum: entry.checksum ?? options.checksum,
      findsChecksum: options.findsChecksum,
      size: entry.size,
      pieces: entry.pieces,
      headers: options.headers.filter { !named.contains($0.name.lowercased()) } + entry.headers,
      rateLimit: entry.rateLimit ?? options.limitEach,
      schedule: Schedule(start: options.start, hours: options.hours),
      trust: entry.trust ?? options.trust,
      cookieFile: options.cookieFile
    )
  }

  private mutating func add(_ entry: ListEntry, _ options: Options) {
    let request = Self.request(entry, options)
    let (link, name) = (request.link.text, request.name)
    let isNew = asked.insert(Asked(link: link, directory: request.directory, name: name)).inserted
    if isNew { requests.append(request) }
  }

  private mutating func parse(_ text: String, _ what: String) -> ListEntry? {
    let line = LinkLine(text)
    if line.entry == nil && line.bad.isEmpty { problems.append("\(what)\(LinkError.empty.line)") }
    for part in line.bad {
      problems.append("\(what)\(Self.shown(part.text)): \(Sanitizer.shown(part.problem.line))")
    }
    return line.entry
  }

  private mutating func read(_ list: String, _ options: Options) {
    do throws(ListError) {
      let (entries, found) = Self.content(try ListSource.read(list))
      for entry in entries { add(entry.file, options) }
      let place = list == "-" ? "standard input" : Self.shown(list)
      problems += found.map { "\(place), line \($0.number): \(Self.words($0))" }
    } catch {
      problems.append(error.line)
    }
  }

  private static func content(_ bytes: [UInt8]) -> ([LinkList.Entry], [LinkList.Problem]) {
    if Metalink.isLikely(bytes) {
      let metalink = Metalink(bytes)
      return (metalink.entries, metalink.problems)
    }
    let list = LinkList(bytes)
    return (list.entries, list.problems)
  }

  private static func words(_ problem: LinkList.Problem) -> String {
    let text = problem.text.isEmpty ? "" : "\(shown(problem.text)): "
    let loss = problem.leavesOut.map { "; what line \($0) asks for is left out" } ?? ""
    return text + Sanitizer.shown(problem.reason.line) + loss
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
