// SPDX-License-Identifier: Apache-2.0
//
// StoredText: lists and links in one text each.
//
// Holds    a link a line, its parts between tabs, so that loading needs no URL parser; in a part a
//          backslash, tab or line feed is written `\\`, `\t`, `\n`.
// Never    loses a part: what does not read back exactly is nil.

internal import Transfers

/// How the parts of a request are written into a column.
enum StoredText {
  /// The links as text.
  static func text(_ links: [Link]) -> String {
    var text = ""
    for link in links {
      if !text.isEmpty { text += "\n" }
      append(link, to: &text)
    }
    return text
  }

  private static func append(_ link: Link, to text: inout String) {
    let origin = link.origin
    text += escaped(link.text)
    for part in [origin.scheme.rawValue, origin.host, String(origin.port), link.path] {
      text += "\t"
      text += escaped(part)
    }
    guard let login = link.login else { return }
    text += "\t\(escaped(login.user))\t\(escaped(login.password))"
  }

  /// The links in a text; nil unless there is at least one and all are whole.
  static func links(_ text: String) -> [Link]? {
    // As bytes: to a String, CR LF is one character, and a password may end in CR.
    let lines = text.utf8.split(separator: 10, omittingEmptySubsequences: false)
    let links = lines.compactMap { line in
      link(line.split(separator: 9, omittingEmptySubsequences: false).map(unescaped))
    }
    return links.count == lines.count ? links : nil
  }

  private static func link(_ parts: [String]) -> Link? {
    guard parts.count == 5 || parts.count == 7, let scheme = Scheme(rawValue: parts[1]),
      let port = Int(parts[3])
    else { return nil }
    return Link(
      text: parts[0],
      origin: Origin(scheme: scheme, host: parts[2], port: port),
      path: parts[4],
      login: parts.count == 7 ? Login(user: parts[5], password: parts[6]) : nil
    )
  }

  /// The header fields as `Name: value` lines.
  static func text(_ headers: [HeaderField]) -> String {
    headers.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
  }

  /// The header fields in a text; nil unless all are whole.
  static func headers(_ text: String) -> [HeaderField]? {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n")).map(Substring.init)
    let fields = lines.compactMap { line -> HeaderField? in
      guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let value = String(line[colon...].utf8.dropFirst(2)) ?? ""
      return HeaderField(name: String(line[..<colon]), value: value)
    }
    return fields.count == lines.count ? fields : nil
  }

  /// When it may run, as `SECONDS HH:MM-HH:MM` with `-` for what is open; nil when it always may.
  static func text(_ schedule: Schedule) -> String? {
    guard schedule != Schedule() else { return nil }
    return "\(schedule.start.map { "\($0.seconds)" } ?? "-") \(schedule.hours?.text ?? "-")"
  }

  /// When it may run; nil when the text is not one of ours.
  static func schedule(_ text: String) -> Schedule? {
    let parts = text.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    let start = Int64(parts[0]).map { WallTime(seconds: $0) }
    let hours = DailyHours(parsing: parts[1])
    let schedule = Schedule(start: start, hours: hours)
    return self.text(schedule) == text ? schedule : nil
  }

  /// How far a repair has come, as `PASS OFFSET REPLACED`.
  static func text(_ repair: RepairProgress) -> String {
    "\(repair.pass) \(repair.offset) \(repair.replaced)"
  }

  /// How far a repair has come; nil when the text is not one of ours.
  static func repair(_ text: String) -> RepairProgress? {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 3, let pass = Int(exactly: numbers[0]), numbers.allSatisfy({ $0 >= 0 })
    else { return nil }
    return RepairProgress(pass: pass, offset: numbers[1], replaced: numbers[2])
  }

  /// Who is believed, as text.
  static func text(_ trust: Trust) -> String {
    switch trust {
    case .system: "system"
    case .anything: "anything"
    case .file(let path): "file:\(path)"
    }
  }

  /// Who is believed; nil when the text is not one of ours.
  static func trust(_ text: String) -> Trust? {
    switch text {
    case "system": .system
    case "anything": .anything
    default: text.hasPrefix("file:") ? .file(String(text.dropFirst(5))) : nil
    }
  }

  private static func escaped(_ part: String) -> String {
    guard part.utf8.contains(where: { $0 == 9 || $0 == 10 || $0 == 92 }) else { return part }
    let bytes = part.utf8.flatMap { byte -> [UInt8] in
      switch byte {
      case 9: Array("\\t".utf8)
      case 10: Array("\\n".utf8)
      case 92: Array("\\\\".utf8)
      default: [byte]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func unescaped(_ part: Substring.UTF8View) -> String {
    guard part.contains(92) else { return String(Substring(part)) }
    var bytes: [UInt8] = []
    var isEscape = false
    for byte in part {
      switch (isEscape, byte) {
      case (false, 92):
        isEscape = true
        continue
      case (true, UInt8(ascii: "t")): bytes.append(9)
      case (true, UInt8(ascii: "n")): bytes.append(10)
      default: bytes.append(byte)
      }
      isEscape = false
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
