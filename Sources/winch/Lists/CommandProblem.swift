// SPDX-License-Identifier: Apache-2.0
//
// CommandProblem: why a curl command in a list cannot be carried out.
//
// Any thread. Never repeats what the command says: cookies and logins stand there.

/// What is wrong with a curl command.
enum CommandProblem: Hashable, Sendable {
  /// A quotation mark or an escape is not ended on its line.
  case notClosed
  /// A pipe, a redirection, a variable: work for a shell.
  case shellSyntax
  /// It was copied for the command interpreter of Windows.
  case windows
  /// There is no link.
  case noLink
  /// There is more than one link.
  case severalLinks
  /// It sends a body.
  case sendsData
  /// Its method is not GET.
  case otherMethod
  /// An option winch cannot follow; its name, such as `--proxy`.
  case unknownOption(String)
  /// The last option lacks its value.
  case noValue
  /// Cookies or header fields out of a file.
  case readsFile
  /// A user name without a password, which curl would ask for.
  case noPassword

  /// One line that says what to do; not sanitised.
  var line: String {
    switch self {
    case .notClosed: "a quotation mark is not closed on its line; copy the whole command"
    case .shellSyntax: "only curl itself: no pipe, redirection, variable or second command"
    case .windows: "copied for Windows; copy it as cURL (bash)"
    case .noLink: "there is no link in the command"
    case .severalLinks: "only one link in a command; give each its own line"
    case .sendsData: "it sends data, and winch only fetches"
    case .otherMethod: "it is not a GET, and winch only fetches"
    case .unknownOption(let name): "winch cannot follow curl's option \(name); leave it out"
    case .noValue: "its last option needs a value"
    case .readsFile: "it reads cookies or headers from a file; write them into the command"
    case .noPassword: "it asks for a password; write it as -u USER:PASSWORD"
    }
  }

  /// At most 40 columns.
  var short: String {
    switch self {
    case .notClosed: "a quotation mark is not closed"
    case .shellSyntax: "more than a curl command"
    case .windows: "copy it as cURL (bash)"
    case .noLink: "no link in the command"
    case .severalLinks: "several links in the command"
    case .sendsData: "it sends data"
    case .otherMethod: "not a GET"
    case .unknownOption: "an option winch cannot follow"
    case .noValue: "an option without its value"
    case .readsFile: "it reads a file of cookies or headers"
    case .noPassword: "it asks for a password"
    }
  }
}
