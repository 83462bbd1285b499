// SPDX-License-Identifier: Apache-2.0
//
// PlainLink: links that any parser of URLs would leave as they are, taken apart without one: a list
// of ten thousand is read in a moment.
//
// Holds    http or https, a host of plain names or four plain numbers, perhaps a port that is not the
//          usual one, a path of unreserved characters without `.` and `..`.
// Never    changes a byte; whatever needs thought is left to libcurl's parser.

import Transfers

/// Takes plain links apart.
enum PlainLink {
  /// The link; nil when it is not plain.
  static func parse(_ bytes: ArraySlice<UInt8>) -> Link? {
    let schemes = [Scheme.http, .https]
    guard let scheme = schemes.first(where: { bytes.starts(with: "\($0.rawValue)://".utf8) })
    else { return nil }
    let rest = bytes.dropFirst(scheme.rawValue.utf8.count + 3)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")), isPlainPath(rest[slash...])
    else { return nil }
    let parts = rest[..<slash].split(
      separator: UInt8(ascii: ":"),
      omittingEmptySubsequences: false
    )
    guard parts.count <= 2, isPlainHost(parts[0]),
      let port = parts.count == 2 ? port(parts[1], unusualFor: scheme) : scheme.usualPort
    else { return nil }
    return Link(
      text: String(decoding: bytes, as: UTF8.self),
      origin: Origin(scheme: scheme, host: String(decoding: parts[0], as: UTF8.self), port: port),
      path: String(decoding: rest[slash...], as: UTF8.self),
      login: nil
    )
  }

  /// Only unreserved characters (RFC 3986 section 2.3), and no dot at the start of a part.
  private static func isPlainPath(_ path: ArraySlice<UInt8>) -> Bool {
    var before: UInt8 = 0
    return path.allSatisfy { byte in
      defer { before = byte }
      if byte == UInt8(ascii: ".") { return before != UInt8(ascii: "/") }
      return isAlphanumeric(byte) || "/-_~".utf8.contains(byte)
    }
  }

  /// Four numbers, or small names of which the last begins with a letter and is no number.
  private static func isPlainHost(_ host: ArraySlice<UInt8>) -> Bool {
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    if labels.count == 4, labels.allSatisfy({ number($0, upTo: 255) != nil }) { return true }
    guard let last = labels.last, last.allSatisfy(isSmallLetter) else { return false }
    return labels.allSatisfy { label in
      !label.isEmpty && label.count < 64
        && label.allSatisfy { isSmallLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") }
    }
  }

  private static func port(_ digits: ArraySlice<UInt8>, unusualFor scheme: Scheme) -> Int? {
    guard let port = number(digits, upTo: 65535), port > 0, port != scheme.usualPort
    else { return nil }
    return port
  }

  /// A number without leading zeros.
  private static func number(_ digits: ArraySlice<UInt8>, upTo limit: Int) -> Int? {
    guard let first = digits.first, digits.count <= 5, digits.allSatisfy({ isDigit($0) }),
      first != UInt8(ascii: "0") || digits.count == 1
    else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    return number <= limit ? number : nil
  }

  private static func isSmallLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func isAlphanumeric(_ byte: UInt8) -> Bool {
    isSmallLetter(byte | 0x20) || isDigit(byte)
  }
}

extension Scheme {
  /// The port of its links that name none.
  fileprivate var usualPort: Int? {
    switch self {
    case .http: 80
    case .https: 443
    case .ftp, .ftps, .sftp: nil
    }
  }
}
