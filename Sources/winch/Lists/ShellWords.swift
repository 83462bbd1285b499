// SPDX-License-Identifier: Apache-2.0
//
// ShellWords: a command line taken apart as bash does, as far as browsers write such lines.
//
// Holds    the rules of quoting: '…', "…", $'…' and the backslash (bash(1), QUOTING). All that is
//          syntax is ASCII, so bytes are read, and a character of several passes as it is.
// Never    expands anything; what a shell would have to work out is refused. Any thread. Pure.

/// The words of a command line.
struct ShellWords {
  /// The words without their quotation marks.
  let words: [String]

  /// Takes a line apart.
  ///
  /// - Parameter text: The command, continued lines joined.
  /// - Throws: `ListProblem.command` for an open quotation mark and for what only a shell can do;
  ///   `ListProblem.notText` for escapes that make no text.
  init(_ text: String) throws(ListProblem) {
    var scanner = Scanner(rest: Array(text.utf8)[...])
    try scanner.scan()
    var words: [String] = []
    for word in scanner.words {
      guard let word = String(validating: word, as: UTF8.self) else { throw .notText }
      words.append(word)
    }
    self.words = words
  }
}

/// Reads byte by byte; what is not yet read is `rest`.
private struct Scanner {
  private(set) var words: [[UInt8]] = []
  private var rest: ArraySlice<UInt8>
  private var word: [UInt8] = []
  /// Whether a word has begun; a pair of quotation marks is one even when it is empty.
  private var isInWord = false

  init(rest: ArraySlice<UInt8>) {
    self.rest = rest
  }

  mutating func scan() throws(ListProblem) {
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: " "), 9, 10, 13: endWord()
      case UInt8(ascii: "'"): try singleQuoted()
      case UInt8(ascii: "\""): try doubleQuoted()
      case UInt8(ascii: "\\"): add(try next())
      case UInt8(ascii: "$"): try dollar()
      case UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: "<"),
        UInt8(ascii: ">"):
        throw .command(.shellSyntax)
      case UInt8(ascii: "&") where !isInWord: throw .command(.shellSyntax)
      case UInt8(ascii: "#") where !isInWord: rest = []
      default: add(byte)
      }
    }
    endWord()
  }

  private mutating func add(_ byte: UInt8) {
    word.append(byte)
    isInWord = true
  }

  private mutating func endWord() {
    if isInWord { words.append(word) }
    word = []
    isInWord = false
  }

  private mutating func next() throws(ListProblem) -> UInt8 {
    guard let byte = rest.popFirst() else { throw .command(.notClosed) }
    return byte
  }

  private mutating func singleQuoted() throws(ListProblem) {
    isInWord = true
    while case let byte = try next(), byte != UInt8(ascii: "'") { add(byte) }
  }

  private mutating func doubleQuoted() throws(ListProblem) {
    isInWord = true
    while case let byte = try next(), byte != UInt8(ascii: "\"") {
      switch byte {
      case UInt8(ascii: "\\"):
        let escaped = try next()
        if !"$`\"\\".utf8.contains(escaped) { add(byte) }
        add(escaped)
      case UInt8(ascii: "`"): throw .command(.shellSyntax)
      case UInt8(ascii: "$"): try literalDollar()
      default: add(byte)
      }
    }
  }

  private mutating func dollar() throws(ListProblem) {
    switch rest.first {
    case UInt8(ascii: "'"):
      rest.removeFirst()
      try escapeQuoted()
    case UInt8(ascii: "\""):
      rest.removeFirst()
      try doubleQuoted()
    default: try literalDollar()
    }
  }

  /// A dollar sign that begins no expansion stands for itself.
  private mutating func literalDollar() throws(ListProblem) {
    switch rest.first {
    case .some(UInt8(ascii: "a")...UInt8(ascii: "z")),
      .some(UInt8(ascii: "A")...UInt8(ascii: "Z")), UInt8(ascii: "("), UInt8(ascii: "{"),
      UInt8(ascii: "_"):
      throw .command(.shellSyntax)
    default: add(UInt8(ascii: "$"))
    }
  }
}

// MARK: - $'…'

extension Scanner {
  private mutating func escapeQuoted() throws(ListProblem) {
    isInWord = true
    while case let byte = try next(), byte != UInt8(ascii: "'") {
      if byte == UInt8(ascii: "\\") { try escape() } else { add(byte) }
    }
  }

  private mutating func escape() throws(ListProblem) {
    let letter = try next()
    switch letter {
    case UInt8(ascii: "a"): add(7)
    case UInt8(ascii: "b"): add(8)
    case UInt8(ascii: "t"): add(9)
    case UInt8(ascii: "n"): add(10)
    case UInt8(ascii: "v"): add(11)
    case UInt8(ascii: "f"): add(12)
    case UInt8(ascii: "r"): add(13)
    case UInt8(ascii: "e"), UInt8(ascii: "E"): add(27)
    case UInt8(ascii: "\\"), UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "?"): add(letter)
    case UInt8(ascii: "x"): try add(UInt8(truncatingIfNeeded: hexadecimal(digits: 2)))
    case UInt8(ascii: "u"): try addScalar(hexadecimal(digits: 4))
    case UInt8(ascii: "U"): try addScalar(hexadecimal(digits: 8))
    case UInt8(ascii: "0")...UInt8(ascii: "7"):
      add(UInt8(truncatingIfNeeded: octal(from: letter)))
    default:
      add(UInt8(ascii: "\\"))
      add(letter)
    }
  }

  /// A hexadecimal number of at least one and at most `digits` digits.
  private mutating func hexadecimal(digits: Int) throws(ListProblem) -> UInt32 {
    let written = rest.prefix(digits).prefix { Unicode.Scalar($0).properties.isASCIIHexDigit }
    guard let number = UInt32(String(decoding: written, as: UTF8.self), radix: 16) else {
      throw .notText
    }
    rest = rest.dropFirst(written.count)
    return number
  }

  /// An octal number of at most three digits, the first already read.
  private mutating func octal(from first: UInt8) -> Int {
    let more = rest.prefix(2).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    rest = rest.dropFirst(more.count)
    return (CollectionOfOne(first) + more).reduce(0) { $0 * 8 + Int($1 - UInt8(ascii: "0")) }
  }

  private mutating func addScalar(_ value: UInt32) throws(ListProblem) {
    guard let scalar = Unicode.Scalar(value) else { throw .notText }
    for byte in String(scalar).utf8 { add(byte) }
  }
}
