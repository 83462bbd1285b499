// SPDX-License-Identifier: Apache-2.0
//
// HeaderLine: header fields as lists and copied commands have them.
//
// Rule     a browser's command carries every field of its own request. Those that say how the body
//          shall come belong to winch, and a condition would turn the file into an empty answer:
//          they are left out without a word. All others are what the server may want to see.
// Any thread. Pure.

import Transfers

/// Reads header fields.
enum HeaderLine {
  /// Fields that are left out, in lower case.
  private static let leftOut: Set = [
    // RFC 9110: ranges, codings, conditions, the connection and the message's own frame.
    "range", "if-range", "accept-encoding", "te", "connection", "keep-alive", "proxy-connection",
    "upgrade", "expect", "trailer", "transfer-encoding", "content-length", "host", "if-match",
    "if-none-match", "if-modified-since", "if-unmodified-since", "http2-settings",
    // What browsers make of HTTP/2's pseudo fields.
    "authority", "method", "path", "scheme",
  ]

  /// Reads `Name: value`, or curl's `Name;` for a field without a value.
  ///
  /// - Parameter line: The line as written.
  /// - Returns: The field; nil when it is left out, as is one without a value after the colon.
  /// - Throws: `ListProblem.badHeader`.
  static func field(_ line: String) throws(ListProblem) -> HeaderField? {
    if line.utf8.first == UInt8(ascii: ":") { return nil }
    guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else {
      guard line.utf8.last == UInt8(ascii: ";") else { throw .badHeader }
      return try checked(String(line.dropLast()), "")
    }
    return try field(String(line[..<colon]), String(line[line.utf8.index(after: colon)...]))
  }

  /// Makes one field; nil when it is left out or has no value.
  static func field(_ name: String, _ value: String) throws(ListProblem) -> HeaderField? {
    guard let field = try checked(name, value) else { return nil }
    return field.value.isEmpty ? nil : field
  }

  private static func checked(
    _ name: String,
    _ value: String
  ) throws(ListProblem) -> HeaderField? {
    guard let field = HeaderField(name: name, value: value) else { throw .badHeader }
    return leftOut.contains(name.lowercased()) ? nil : field
  }
}
