// SPDX-License-Identifier: Apache-2.0
//
// Link: a checked URL of a file, taken apart once.
//
// Holds    an absolute URL without login and fragment, plus the login apart from it.
// Never    parses: Connections makes links with libcurl's URL parser. Never shows a password or a
//          signed query.

/// The protocols winch speaks.
public enum Scheme: String, Hashable, Sendable, CaseIterable {
  /// Plain HTTP.
  case http
  /// HTTP over TLS.
  case https
  /// FTP (RFC 959), over TLS when a login is given and the server can (RFC 4217).
  case ftp
  /// FTP over TLS from the first byte on.
  case ftps
  /// Files over SSH.
  case sftp

  /// Whether answers begin with a head of fields, and requests may carry some.
  public var isHTTP: Bool {
    switch self {
    case .http, .https: true
    case .ftp, .ftps, .sftp: false
    }
  }

  /// Whether the server always shows a certificate.
  public var hasCertificate: Bool {
    switch self {
    case .https, .ftps: true
    case .http, .ftp, .sftp: false
    }
  }

  /// All schemes for people: `http, https, ftp, ftps and sftp`.
  public static let list = "http, https, ftp, ftps and sftp"
}

/// User name and password out of a URL, percent-decoded.
public struct Login: Hashable, Sendable {
  /// The user name, not empty.
  public let user: String
  /// The password, perhaps empty.
  public let password: String

  /// Makes a login from decoded parts.
  public init(user: String, password: String) {
    self.user = user
    self.password = password
  }
}

extension Login: CustomStringConvertible {
  /// The user name only, so that no interpolated or dumped value shows the password.
  public var description: String { "\(user):***" }
}

/// Scheme, host and port: what secrets and user-given headers belong to (RFC 6454).
public struct Origin: Hashable, Sendable {
  /// The scheme.
  public let scheme: Scheme
  /// The host in lower case.
  public let host: String
  /// The port, the scheme's own when the URL names none.
  public let port: Int

  /// Makes an origin from its three parts.
  public init(scheme: Scheme, host: String, port: Int) {
    self.scheme = scheme
    self.host = host
    self.port = port
  }
}

/// One URL that can be asked.
public struct Link: Hashable, Sendable {
  /// The absolute URL without login and without fragment; percent-encoded, ready for the wire.
  public let text: String
  /// Scheme, host and port.
  public let origin: Origin
  /// The path as sent, percent-encoded, beginning with `/`.
  public let path: String
  /// The login that stood in the URL.
  public let login: Login?

  /// Makes a link from parts that a URL parser has checked.
  public init(text: String, origin: Origin, path: String, login: Login?) {
    self.text = text
    self.origin = origin
    self.path = path
    self.login = login
  }

  /// The last part of the path, decoded if that makes text; nil when the path has no parts.
  public var lastName: String? {
    guard let last = path.split(separator: "/").last else { return nil }
    return String(validating: PercentCoding.decoded(Array(last.utf8)), as: UTF8.self)
      ?? String(last)
  }

  /// The link for people and logs: its login as `user:***@`, a long or secret query as `?…`.
  ///
  /// Not sanitised.
  public var shown: String {
    let text = SecretQuery.hidden(in: text)
    guard let login, let slashes = text.firstIndex(of: "/") else { return text }
    let host = text.index(slashes, offsetBy: 2, limitedBy: text.endIndex) ?? text.endIndex
    return "\(text[..<host])\(login)@\(text[host...])"
  }
}

extension Link: CustomStringConvertible {
  /// The link as `shown`, so that no interpolated value tells a secret.
  public var description: String { shown }
}
