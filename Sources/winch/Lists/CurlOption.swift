// SPDX-License-Identifier: Apache-2.0
//
// CurlOption: the options of curl that a copied command may have, and what they mean for winch.
//
// Rule     what only says how curl talks or prints is passed over; what would make another request
//          than a GET is refused; what is not in the table is refused too, as nobody knows whether
//          a value follows it.
// Source   curl(1). Any thread. Pure.

/// What an option of curl means here.
enum CurlOption: Hashable, Sendable {
  /// A header field.
  case header
  /// Cookies as `a=b; c=d`.
  case cookie
  /// The field User-Agent.
  case userAgent
  /// The field Referer.
  case referer
  /// The name to save under.
  case output
  /// The directory to save in.
  case directory
  /// Any certificate is believed.
  case insecure
  /// User name and password.
  case login
  /// The link.
  case link
  /// The method.
  case method
  /// A body.
  case data
  /// Another request than a GET, by its mere presence.
  case otherMethod
  /// Means nothing here.
  case ignored
  /// Means nothing here, and has a value.
  case ignoredValue

  /// The option behind `--`.
  init?(name: some StringProtocol) {
    guard let option = Self.names[String(name)] else { return nil }
    self = option
  }

  /// The option behind `-`.
  init?(letter: Character) {
    guard let option = Self.letters[letter] else { return nil }
    self = option
  }

  /// Whether a value follows.
  var hasValue: Bool {
    switch self {
    case .header, .cookie, .userAgent, .referer, .output, .directory, .login, .link, .method,
      .data, .ignoredValue:
      true
    case .insecure, .otherMethod, .ignored: false
    }
  }

  private static let names: [String: Self] = [
    "header": .header, "cookie": .cookie, "user-agent": .userAgent, "referer": .referer,
    "output": .output, "output-dir": .directory, "insecure": .insecure,
    "user": .login, "url": .link, "request": .method,
    "data": .data, "data-raw": .data, "data-binary": .data, "data-ascii": .data,
    "data-urlencode": .data, "json": .data, "form": .data, "form-string": .data,
    "upload-file": .data,
    "head": .otherMethod, "get": .ignored,
    "compressed": .ignored, "location": .ignored, "location-trusted": .ignored,
    "silent": .ignored, "show-error": .ignored, "fail": .ignored, "fail-with-body": .ignored,
    "globoff": .ignored, "progress-bar": .ignored, "verbose": .ignored, "include": .ignored,
    "remote-name": .ignored, "remote-header-name": .ignored, "remote-time": .ignored,
    "create-dirs": .ignored, "no-buffer": .ignored, "basic": .ignored, "parallel": .ignored,
    "http1.1": .ignored, "http2": .ignored, "http3": .ignored, "path-as-is": .ignored,
    "tlsv1.2": .ignored, "tlsv1.3": .ignored, "ipv4": .ignored, "ipv6": .ignored,
    "retry": .ignoredValue, "retry-delay": .ignoredValue, "connect-timeout": .ignoredValue,
    "max-time": .ignoredValue, "max-redirs": .ignoredValue, "continue-at": .ignoredValue,
  ]

  private static let letters: [Character: Self] = [
    "H": .header, "b": .cookie, "A": .userAgent, "e": .referer, "o": .output, "k": .insecure,
    "u": .login, "X": .method, "d": .data, "F": .data, "T": .data, "I": .otherMethod,
    "G": .ignored, "L": .ignored, "s": .ignored, "S": .ignored, "f": .ignored, "g": .ignored,
    "#": .ignored, "v": .ignored, "i": .ignored, "O": .ignored, "J": .ignored, "R": .ignored,
    "N": .ignored, "Z": .ignored, "4": .ignored, "6": .ignored, "m": .ignoredValue,
    "C": .ignoredValue,
  ]
}
