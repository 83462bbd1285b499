// SPDX-License-Identifier: Apache-2.0
//
// Help: what `--help` prints, made from the table of options.
//
// Holds    no line of more than 80 columns.

/// The text of `winch --help`.
enum Help {
  /// All lines, with a newline at the end.
  static var text: String {
    ([intro] + OptionRow.all.map(optionLine) + ["", "Exit status:"] + statusLines)
      .joined(separator: "\n") + "\n"
  }

  private static let intro = """
    usage: winch [OPTION]... [URL]...       open the screen, and add what is given
           winch get [OPTION]... URL...     fetch without a screen

    Fetches files over HTTP(S), FTP(S) and SFTP with several connections each. What
    is not finished is remembered; the same command, or the screen, carries on.

    Options:
    """

  private static func optionLine(_ row: OptionRow) -> String {
    "  " + padded(row.usage, to: 28) + row.help
  }

  private static var statusLines: [String] {
    ExitStatus.allCases.map { "  \($0.rawValue)  \($0.help)" }
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }
}
