// SPDX-License-Identifier: Apache-2.0
//
// ScannedArguments: the words of a command line, taken apart by getopt_long.
//
// Options and links may be mixed, `--` ends the options, long names may be shortened.
// Threads  any; getopt_long keeps its place in globals, so a lock lets one scan in at a time.
// Never    prints; what is wrong is thrown.

import CGetopt
import Glibc
import Workers

/// The options with their values, and the words that are neither.
struct ScannedArguments: Sendable {
  /// One option as it stood on the command line; an empty value where it takes none.
  struct Setting: Sendable {
    let name: OptionName
    let value: String
  }

  private static let scanning = Monitor(())

  /// The options in their order, up to the first `--help` or `--version`.
  let settings: [Setting]
  /// The other words in their order.
  let operands: [String]

  /// Scans the words after the program's name.
  init(_ arguments: [String]) throws(OptionError) {
    self = try Self.scanning.withLock { _ throws(OptionError) in
      try ScannedArguments(Scan(["winch"] + arguments))
    }
  }

  private init(_ scan: borrowing Scan) throws(OptionError) {
    settings = try scan.settings()
    operands = scan.operands()
  }
}

/// The memory that getopt_long works in.
private struct Scan: ~Copyable {
  private let words: [UnsafeMutablePointer<CChar>?]
  private let vector: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
  private let longNames: [UnsafeMutablePointer<CChar>?]
  private let table: [option]
  private let letters: String

  init(_ arguments: [String]) {
    words = arguments.map { strdup($0) }
    vector = .allocate(capacity: words.count + 1)
    vector.initialize(from: words + [nil], count: words.count + 1)
    longNames = OptionRow.all.map { strdup($0.name.rawValue) }
    let rows = zip(OptionRow.all, longNames).map { row, name in
      option(name: name, has_arg: row.value == nil ? 0 : 1, flag: nil, val: row.code)
    }
    table = rows + [option()]
    // The leading colon tells a missing value from an unknown option.
    letters = OptionRow.all.reduce(into: ":") { letters, row in
      letters += row.letter.map { String($0) + (row.value == nil ? "" : ":") } ?? ""
    }
  }

  deinit {
    for word in words + longNames { free(word) }
    vector.deallocate()
  }

  func settings() throws(OptionError) -> [ScannedArguments.Setting] {
    var settings: [ScannedArguments.Setting] = []
    getopt_restart()
    while true {
      let code = getopt_long(Int32(words.count), vector, letters, table, nil)
      if code == -1 { return settings }
      guard let row = OptionRow.withCode(code) else { throw problem(code) }
      let value = getopt_argument().map { String(cString: $0) } ?? ""
      settings.append(ScannedArguments.Setting(name: row.name, value: value))
      if row.name == .help || row.name == .version { return settings }
    }
  }

  /// What is left once getopt_long has moved it behind the options.
  func operands() -> [String] {
    (Int(getopt_next_index())..<words.count).compactMap { word($0) }
  }

  private func word(_ index: Int) -> String? {
    vector[index].map { String(cString: $0) }
  }

  private func problem(_ code: Int32) -> OptionError {
    let culprit = getopt_culprit()
    let isMissing = code == Int32(UInt8(ascii: ":"))
    if let row = OptionRow.withCode(culprit) {
      return isMissing ? .noValue(row.name) : .needlessValue(row.name)
    }
    // A long name is not kept by getopt_long; it is the word just passed.
    let word = word(Int(getopt_next_index()) - 1) ?? ""
    let letter = UInt8(exactly: culprit).map { String(Unicode.Scalar($0)) }
    return .unknown(culprit == 0 ? String(word.prefix { $0 != "=" }) : "-" + (letter ?? "?"))
  }
}

extension OptionRow {
  /// What getopt_long returns for this option: its letter, or a number above all letters.
  fileprivate var code: Int32 {
    if let value = letter?.asciiValue { return Int32(value) }
    return Int32(256 + (Self.all.firstIndex { $0.name == name } ?? 0))
  }

  fileprivate static func withCode(_ code: Int32) -> OptionRow? {
    all.first { $0.code == code }
  }
}
