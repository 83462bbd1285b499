// SPDX-License-Identifier: Apache-2.0
//
// OptionError: why a command line cannot be carried out, in one line that says what to do.
//
// Holds    what the user typed, made harmless only in `line`.

import Frames

/// What is wrong with a command line.
enum OptionError: Error, Hashable, Sendable {
  /// No option has this name, or several begin with it.
  case unknown(String)
  /// The value is missing.
  case noValue(OptionName)
  /// A value was given to an option that takes none.
  case needlessValue(OptionName)
  /// The value cannot be used; the advice says which could.
  case badValue(OptionName, String, advice: String)
  /// The option describes one file, but there is not exactly one link.
  case oneLinkOnly(OptionName)
  /// Only one of the two can hold.
  case contradiction(OptionName, OptionName)
  /// `get` without a link and without a list.
  case nothingToFetch

  /// One line for standard error, without the program's name; safe to show.
  var line: String { Sanitizer.shown(words) }

  private var words: String {
    switch self {
    case .unknown(let word):
      "no option \(word), or more than one begins like it; winch --help lists them"
    case .noValue(let name):
      "--\(name.rawValue) needs a value; winch --help shows which"
    case .needlessValue(let name):
      "--\(name.rawValue) takes no value; leave out what follows the ="
    case .badValue(.header, _, let advice):
      // It may be a login.
      "--header: \(advice)"
    case .badValue(let name, let value, let advice):
      "--\(name.rawValue) '\(value)': \(advice)"
    case .oneLinkOnly(let name):
      "--\(name.rawValue) is about one file; give exactly one link and no list"
    case .contradiction(let one, let other):
      "--\(one.rawValue) and --\(other.rawValue) exclude each other; leave one out"
    case .nothingToFetch:
      "nothing to fetch; give a link, or a list of links with -i FILE"
    }
  }
}
