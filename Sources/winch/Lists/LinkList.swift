// SPDX-License-Identifier: Apache-2.0
//
// LinkList: the files in a text as people have it: links, aria2's input files, copied commands.
//
// Lines    a link with its mirrors (LinkLine), options below it (OptionLine), or a curl command
//          (CurlCommand) that goes on behind a backslash. Blank lines and lines that begin with
//          `#` are passed over; a byte order mark, carriage returns, blanks around a line and a
//          missing last newline do not matter.
// Rule     one bad line spoils no other, but an option whose value cannot be used takes its link
//          along: the file would otherwise arrive in another way than was asked for.
// Any thread. Pure; ListSource reads files.

/// The files of a list.
struct LinkList {
  /// A file.
  struct Entry {
    /// The line it begins on, counted from 1 as editors do.
    let number: Int
    /// What the list says about it.
    var file: ListEntry
  }

  /// A line that cannot be used.
  struct Problem {
    /// Counted from 1.
    let number: Int
    /// What may be shown of the line, perhaps nothing; not sanitised.
    let text: String
    /// Why.
    let reason: ListProblem
    /// The line of the link that is left out because of this one.
    let leavesOut: Int?
  }

  /// What the next line may belong to.
  private enum Open {
    case nothing
    case entry(Entry)
    /// A command that goes on, begun on this line.
    case command(Int)
    /// An entry that was refused; its further options are of no interest.
    case refused
  }

  /// The files, in their order.
  private(set) var entries: [Entry] = []
  /// The lines that cannot be used, in their order.
  private(set) var problems: [Problem] = []

  private let assumingHTTPS: Bool
  private var open = Open.nothing
  /// The lines so far of a command that goes on.
  private var command: [String] = []
  private var number = 0

  /// Takes the text of a list apart.
  ///
  /// - Parameter bytes: The whole list, lines ended by LF or CR LF.
  init(_ bytes: [UInt8]) {
    assumingHTTPS = false
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if let text = String(validating: line, as: UTF8.self) {
        take(text)
      } else {
        takeBytes()
      }
    }
    finish()
  }

  /// Takes typed or pasted lines apart; a link without a scheme is taken as https.
  ///
  /// - Parameter lines: The lines, without their ends.
  init(typed lines: [String]) {
    assumingHTTPS = true
    for line in lines {
      number += 1
      take(line)
    }
    finish()
  }
}

// MARK: - Lines

extension LinkList {
  private mutating func take(_ line: String) {
    let line = number == 1 && line.unicodeScalars.first == "\u{FEFF}" ? line.withoutFirst : line
    let text = line.withoutBlanksAround
    if case .command(let start) = open { return proceed(line.withoutBlanksBehind, from: start) }
    if text.isEmpty || text.utf8.first == UInt8(ascii: "#") { return }
    let isIndented = line.unicodeScalars.first?.properties.isWhitespace == true
    if let option = OptionLine(text), isIndented || option.isKnown { return take(option) }
    finish()
    if CurlCommand.begins(text) { return proceed(text, from: number) }
    takeLinks(text)
  }

  /// A line that is not UTF-8; a command it stands in ends with it.
  private mutating func takeBytes() {
    if case .command(let start) = open {
      command = []
      report(.notText, leavesOut: start)
    } else {
      finish()
      report(.notText)
    }
    open = .refused
  }

  private mutating func takeLinks(_ text: String) {
    let line = LinkLine(text, assumingHTTPS: assumingHTTPS)
    open = line.entry.map { .entry(Entry(number: number, file: $0)) } ?? .refused
    for part in line.bad { report(part.problem, Self.showable(part.text)) }
  }

  private mutating func take(_ option: OptionLine) {
    switch open {
    case .entry(var entry):
      do throws(ListProblem) {
        try option.apply(to: &entry.file)
        open = .entry(entry)
      } catch .unknownOption {
        report(.unknownOption, "\(option.name)=…")
      } catch {
        report(error, "\(option.name)=…", leavesOut: entry.number)
        open = .refused
      }
    case .nothing, .command: report(.optionWithoutLink, "\(option.name)=…")
    case .refused: break
    }
  }

  /// Takes a line of a command; a backslash at its end continues it, as `^` does on Windows.
  private mutating func proceed(_ text: String, from start: Int) {
    let backslashes = text.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    let goesOn = !backslashes.isMultiple(of: 2)
    command.append(goesOn ? String(text.unicodeScalars.dropLast()) : text)
    if goesOn || text.utf8.last == UInt8(ascii: "^") {
      open = .command(start)
    } else {
      closeCommand(from: start)
    }
  }

  private mutating func closeCommand(from start: Int) {
    let text = command.joined()
    command = []
    do throws(ListProblem) {
      open = .entry(Entry(number: start, file: try CurlCommand.entry(text)))
    } catch {
      report(error, "curl …", at: start)
      open = .refused
    }
  }

  /// Ends what is open.
  private mutating func finish() {
    if case .command(let start) = open { closeCommand(from: start) }
    if case .entry(let entry) = open { entries.append(entry) }
    open = .nothing
  }

  private mutating func report(
    _ reason: ListProblem,
    _ text: String = "",
    at line: Int? = nil,
    leavesOut: Int? = nil
  ) {
    let problem = Problem(
      number: line ?? number,
      text: text,
      reason: reason,
      leavesOut: leavesOut
    )
    problems.append(problem)
  }

  /// What of a line can hold no header, cookie or the like: a link up to the first blank.
  private static func showable(_ text: String) -> String {
    let word = text.prefix { !$0.isWhitespace }
    let scheme = word.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard !scheme.isEmpty, word[scheme.endIndex...].hasPrefix("://") else { return "" }
    return word.endIndex == text.endIndex ? text : word + "…"
  }
}

extension String {
  fileprivate var withoutFirst: String { String(unicodeScalars.dropFirst()) }

  fileprivate var withoutBlanksBehind: String {
    let last = unicodeScalars.lastIndex { !$0.properties.isWhitespace }
    return last.map { String(self[...$0]) } ?? ""
  }
}
