// SPDX-License-Identifier: Apache-2.0
//
// LinkError: why a text is not a link that can be fetched, in one line each.
//
// Never    repeats the text itself: it may hold a password or control bytes.

public import Transfers

/// Why a text is not a link.
public enum LinkError: Error, Hashable, Sendable {
  /// There is nothing.
  case empty
  /// No scheme such as `https://` in front; with it, it would be this link.
  case noScheme(guess: Link?)
  /// A scheme that is not spoken here, in lower case.
  case unsupportedScheme(String)
  /// It leads to a directory, which http may well answer with a page but others cannot send.
  case directory
  /// There is a control byte in it.
  case controlByte
  /// There is no host, or one that cannot be.
  case badHost
  /// The port is not a number from 1 to 65535.
  case badPort
  /// The login cannot be decoded, or has no user name.
  case badLogin
  /// Anything else, in libcurl's words.
  case malformed(String)

  /// One line for people.
  public var line: String {
    switch self {
    case .empty: "there is no link"
    case .noScheme(let guess?): "http:// or https:// is missing; did you mean \(guess.shown)?"
    case .noScheme(nil): "not a link: http:// or https:// is missing"
    case .directory: "the link leads to a directory; add the name of a file in it"
    case .unsupportedScheme(let scheme): "\(scheme):// is not supported, only \(Scheme.list)"
    case .controlByte: "the link has a control character in it"
    case .badHost: "the link has no usable host name"
    case .badPort: "the port of the link is not a number from 1 to 65535"
    case .badLogin: "the login in the link cannot be read; percent-encode what is special in it"
    case .malformed(let words): "not a link: \(words)"
    }
  }
}
