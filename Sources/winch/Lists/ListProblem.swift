// SPDX-License-Identifier: Apache-2.0
//
// ListProblem: why a line of a list cannot be used, in one line and in a few words.
//
// Any thread. Never repeats the line itself, which may hold a password, a cookie or control bytes.

import Connections
import Transfers

/// What is wrong with a line of a list.
enum ListProblem: Error, Hashable, Sendable {
  /// Its bytes are not UTF-8.
  case notText
  /// It is not a link.
  case link(LinkError)
  /// Its checksum cannot be read.
  case checksum(ChecksumError)
  /// An option that means nothing here.
  case unknownOption
  /// An option before the first link.
  case optionWithoutLink
  /// An option without a value.
  case noValue
  /// A name to save under that is none.
  case notAFileName
  /// A header field that cannot be sent.
  case badHeader
  /// A rate that is none.
  case rate
  /// A curl command that cannot be carried out.
  case command(CommandProblem)
  /// An XML document that breaks off, with the parser's words.
  case xml(String)
  /// An XML document that is no Metalink.
  case notMetalink
  /// A Metalink of version 3.
  case oldMetalink

  /// One line that says what to do; not sanitised.
  var line: String {
    switch self {
    case .notText: "not UTF-8 text; skipped"
    case .link(let error): error.line
    case .checksum(let error): error.remedy
    case .unknownOption: "no option of a list; passed over, the link above is kept"
    case .optionWithoutLink: "an option belongs below its link, and there is none above"
    case .noValue: "a value is missing after the ="
    case .notAFileName: "give the name of a file, not of a directory or -"
    case .badHeader: "write a header as 'Name: value', on one line, its name without blanks"
    case .rate: "give bytes a second such as 800K or 2.5M"
    case .command(let problem): problem.line
    case .xml(let reason): "not readable XML from here on: \(reason)"
    case .notMetalink: "XML without a Metalink in it; give a .meta4 file or a list of links"
    case .oldMetalink: "a Metalink of version 3; winch reads version 4, a .meta4 file"
    }
  }

  /// At most 40 columns.
  var short: String {
    switch self {
    case .notText: "not UTF-8 text"
    case .link(let error): error.short
    case .checksum: "the checksum cannot be read"
    case .unknownOption: "no option of a list"
    case .optionWithoutLink: "an option without a link above"
    case .noValue: "a value is missing"
    case .notAFileName: "not the name of a file"
    case .badHeader: "a header that cannot be sent"
    case .rate: "not a rate"
    case .command(let problem): problem.short
    case .xml: "not readable XML"
    case .notMetalink: "no Metalink"
    case .oldMetalink: "a Metalink of version 3"
    }
  }
}

extension LinkError {
  /// At most 40 columns.
  fileprivate var short: String {
    switch self {
    case .empty, .noScheme, .malformed: "not a link"
    case .unsupportedScheme: "a scheme that is not supported"
    case .directory: "a directory, not a file"
    case .controlByte: "a control character in it"
    case .badHost: "no usable host"
    case .badPort: "the port is no port"
    case .badLogin: "the login cannot be read"
    }
  }
}
