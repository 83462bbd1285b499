// SPDX-License-Identifier: Apache-2.0
//
// LinkList: the links in a text file as people have them.
//
// Blank lines and lines that begin with `#` are passed over; a byte order mark, carriage returns,
// blanks around a link and a missing last newline do not matter. One bad line spoils no other.
// Any thread. Never judges a link itself, and never opens a file; ListSource reads it.

/// The lines of a list, judged.
struct LinkList<Link, Refusal: Error> {
  /// A line that is a link.
  struct GoodLine {
    /// Counted from 1, as editors do.
    let number: Int
    /// The line without blanks around it.
    let text: String
    /// What it was judged to be.
    let link: Link
  }

  /// Why a line is not a link.
  enum Problem {
    /// Its bytes are not UTF-8.
    case notText
    /// The judge refused it.
    case refused(Refusal)
  }

  /// A line that is none.
  struct BadLine {
    /// Counted from 1, as editors do.
    let number: Int
    /// The line without blanks around it, U+FFFD for what is not UTF-8; not sanitised.
    let text: String
    /// Why.
    let problem: Problem
  }

  /// The links, in their order.
  private(set) var good: [GoodLine] = []
  /// The rest, in its order.
  private(set) var bad: [BadLine] = []

  /// Takes the text of a list apart.
  ///
  /// - Parameters:
  ///   - bytes: The whole list, lines ended by LF or CR LF.
  ///   - judge: Says of one line without blanks around it whether it is a link.
  init(_ bytes: [UInt8], judge: (String) -> Result<Link, Refusal>) {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    let text = bytes.starts(with: mark) ? bytes.dropFirst(mark.count) : bytes[...]
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let content = Self.trimmed(line)
      if content.isEmpty || content.first == UInt8(ascii: "#") { continue }
      add(content, number: index + 1, judge)
    }
  }

  private mutating func add(
    _ line: ArraySlice<UInt8>,
    number: Int,
    _ judge: (String) -> Result<Link, Refusal>
  ) {
    guard let text = String(validating: line, as: UTF8.self) else {
      let shown = String(decoding: line, as: UTF8.self)
      bad.append(BadLine(number: number, text: shown, problem: .notText))
      return
    }
    switch judge(text) {
    case .success(let link): good.append(GoodLine(number: number, text: text, link: link))
    case .failure(let why): bad.append(BadLine(number: number, text: text, problem: .refused(why)))
    }
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in [UInt8(ascii: " "), 9, 13].contains(byte) }
    let start = line.drop(while: isBlank)
    let end = start.lastIndex { !isBlank($0) }
    return start[..<(end.map { $0 + 1 } ?? start.startIndex)]
  }
}
