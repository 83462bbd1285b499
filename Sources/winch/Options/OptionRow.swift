// SPDX-License-Identifier: Apache-2.0
//
// OptionRow: the one table of options; the parser and `--help` are made from it.
//
// Holds    one row for each OptionName, in the order in which help shows them.
// Never    says what a value must look like; Options+Values does.

/// Every option, by its long name.
enum OptionName: String, Hashable, Sendable, CaseIterable {
  case directory = "dir"
  case output
  case connections
  case jobs
  case input
  case header
  case cookies
  case checksum
  case findChecksum = "find-checksum"
  case mirror
  case limitRate = "limit-rate"
  case limitEach = "limit-each"
  case startAt = "start-at"
  case onlyBetween = "only-between"
  case quota
  case caFile = "cacert"
  case insecure
  case state
  case color
  case ascii
  case version
  case help
}

/// One option as it is typed and as help shows it.
struct OptionRow: Sendable {
  /// Which option, and its long name.
  let name: OptionName
  /// The short form, an ASCII letter.
  var letter: Character?
  /// What help calls the value; nil for an option without one.
  var value: String?
  /// What it does, short enough for one line.
  let help: String

  /// All options.
  static let all = [
    OptionRow(name: .directory, letter: "d", value: "DIR", help: "save in DIR; default is here"),
    OptionRow(name: .output, letter: "o", value: "FILE", help: "save as FILE; one link only"),
    OptionRow(
      name: .connections,
      letter: "n",
      value: "NUMBER",
      help: "connections for a file, 1 to 16, or auto"
    ),
    OptionRow(name: .jobs, letter: "j", value: "NUMBER", help: "files at once; default is 4"),
    OptionRow(
      name: .input,
      letter: "i",
      value: "FILE",
      help: "add the links or Metalink in FILE, - is stdin"
    ),
    OptionRow(name: .header, letter: "H", value: "LINE", help: "send 'Name: value' to the server"),
    OptionRow(name: .cookies, value: "FILE", help: "send cookies out of FILE (Netscape format)"),
    OptionRow(
      name: .checksum,
      value: "ALGO:HEX",
      help: "sha-256, sha-512, sha-1 or md5 it must have"
    ),
    OptionRow(name: .findChecksum, help: "look for NAME.sha256 or SHA256SUMS beside a link"),
    OptionRow(name: .mirror, value: "URL", help: "another link to the same file"),
    OptionRow(
      name: .limitRate,
      value: "RATE",
      help: "bytes a second for all: 500K, or a timetable"
    ),
    OptionRow(name: .limitEach, value: "RATE", help: "bytes a second for each file"),
    OptionRow(name: .startAt, value: "TIME", help: "22:00, tomorrow 06:00 or 2030-01-31 06:00"),
    OptionRow(name: .onlyBetween, value: "TIMES", help: "run in these hours only: 22:00-06:00"),
    OptionRow(name: .quota, value: "SIZE", help: "bytes a day for all, such as 20G"),
    OptionRow(name: .caFile, value: "FILE", help: "believe the certificates in FILE too"),
    OptionRow(name: .insecure, letter: "k", help: "believe any certificate; not safe"),
    OptionRow(name: .state, value: "DIR", help: "remember transfers in DIR"),
    OptionRow(name: .color, value: "WHEN", help: "auto, always or never"),
    OptionRow(name: .ascii, help: "draw with ASCII characters only"),
    OptionRow(name: .version, help: "print the version"),
    OptionRow(name: .help, letter: "h", help: "print this"),
  ]

  /// The short and the long form with the value: `-d, --dir DIR`.
  var usage: String {
    let short = letter.map { "-\($0), " } ?? "    "
    return short + "--" + name.rawValue + (value.map { " " + $0 } ?? "")
  }
}
