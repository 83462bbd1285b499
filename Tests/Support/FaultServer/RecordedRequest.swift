// SPDX-License-Identifier: Apache-2.0
//
// RecordedRequest: what one client asked, and what it got.

/// One request.
public struct RecordedRequest: Sendable {
  /// Its place among all requests of the server, from 1.
  public let number: Int
  /// Its place among the requests for its path, from 1.
  public let turn: Int
  /// The connection that it came over, from 1.
  public let connection: Int
  /// The method.
  public let method: String
  /// Path and query as sent.
  public let target: String
  /// The field lines as sent, in order.
  public let lines: [String]
  /// How the connection began when it began as one to a SOCKS proxy.
  public let socks: SocksGreeting?
  /// The status of the answer; 0 until there is one, and for raw answers.
  public internal(set) var status = 0
  /// Bytes of the body that were handed to the system.
  public internal(set) var bytesSent: Int64 = 0
  /// Whether the answer has ended.
  public internal(set) var hasEnded = false

  /// The target without its query.
  public var path: String { String(target.prefix { $0 != "?" }) }

  /// The value of a field, nil without it.
  public func header(_ name: String) -> String? {
    headers(name).first
  }

  /// The values of all fields of that name.
  public func headers(_ name: String) -> [String] {
    let start = name.lowercased() + ":"
    return lines.filter { $0.lowercased().hasPrefix(start) }.map { line in
      String(line.dropFirst(start.count).drop { $0 == " " })
    }
  }

  /// The value of Range.
  public var range: String? { header("Range") }

  /// The bytes asked for out of a file of this size: nil without Range, empty beyond the end.
  func range(in size: Int64) -> Range<Int64>? {
    guard let range, range.hasPrefix("bytes=") else { return nil }
    let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count == 2, let first = Int64(ends[0]) else { return nil }
    let last = min(Int64(ends[1]) ?? .max, size - 1)
    return first <= last ? first..<(last + 1) : size..<size
  }
}
