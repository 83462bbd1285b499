// SPDX-License-Identifier: Apache-2.0
//
// ResponseHead: status and fields of the final answer, after redirects and without 1xx.
//
// Holds    the fields as raw bytes in the order received; everything else is read from them.
// Never    trusts them: whoever shows or obeys a field checks it first.

public import Transfers

/// One field of a response.
public struct ResponseField: Hashable, Sendable {
  /// The name in lower case.
  public let name: String
  /// The value without surrounding blanks; any bytes but CR, LF and NUL.
  public let value: [UInt8]

  /// Makes a field; the name is lower-cased.
  public init(name: String, value: [UInt8]) {
    self.name = name.lowercased()
    self.value = value
  }

  /// Makes a field with a text value.
  public init(_ name: String, _ text: String) {
    self.init(name: name, value: Array(text.utf8))
  }
}

/// How the end of the body is known (RFC 9112 section 6.3).
public enum Framing: Hashable, Sendable {
  /// By Content-Length, or there is no body at all.
  case length
  /// By the last chunk.
  case chunked
  /// By the end of the connection: a cut cannot be told from the end.
  case untilClose
}

/// The head of an answer.
public struct ResponseHead: Hashable, Sendable {
  /// The status code, 200 to 599.
  public let status: Int
  /// The reason phrase as sent, perhaps empty.
  public let reason: String
  /// The fields in the order received.
  public let fields: [ResponseField]
  /// The link that gave this answer.
  public let link: Link
  /// The links that redirected, in the order asked.
  public let redirects: [Link]
  /// The last Content-Disposition that stood on a redirect.
  public let redirectDisposition: [UInt8]?
  /// When the answer came, for dates in Retry-After.
  public let receivedAt: WallTime

  /// Makes a head.
  public init(
    status: Int,
    reason: String = "",
    fields: [ResponseField],
    link: Link,
    redirects: [Link] = [],
    redirectDisposition: [UInt8]? = nil,
    receivedAt: WallTime = WallTime(seconds: 0)
  ) {
    self.status = status
    self.reason = reason
    self.fields = fields
    self.link = link
    self.redirects = redirects
    self.redirectDisposition = redirectDisposition
    self.receivedAt = receivedAt
  }

  /// The raw value of the first field of that name, given in lower case.
  public func first(_ name: String) -> [UInt8]? {
    fields.first { $0.name == name }?.value
  }

  /// The value of the first field of that name, given in lower case, as text.
  public func text(_ name: String) -> String? {
    first(name).map { String(decoding: $0, as: UTF8.self) }
  }
}
