// SPDX-License-Identifier: Apache-2.0
//
// What the fields of a response head mean.
//
// Holds    one property a field, tolerant where RFC 9110 lets servers be sloppy.
// Never    guesses a length: what is not certain is nil.

internal import CCurl
public import Transfers

extension ResponseHead {
  /// Bytes of the body; nil when absent, not a number, chunked or under a content coding.
  public var contentLength: Int64? {
    guard !isChunked, contentCoding == nil else { return nil }
    return announcedLength
  }

  /// Content-Range, nil without the field (RFC 9110 section 14.4).
  public var contentRange: ContentRange? {
    first("content-range").map { ContentRange(parsing: $0) }
  }

  /// ETag and Last-Modified (RFC 9110 section 8.8).
  public var validators: Validators {
    Validators(entityTag: nonEmpty("etag"), lastModified: nonEmpty("last-modified"))
  }

  /// Whether Accept-Ranges promises ranges; nil without the field (RFC 9110 section 14.3).
  public var acceptsRanges: Bool? {
    guard let text = text("accept-ranges")?.lowercased() else { return nil }
    return text != "none" && !text.isEmpty
  }

  /// Content-Disposition as received (RFC 6266).
  public var contentDisposition: [UInt8]? { first("content-disposition") }

  /// Content-Type with its parameters.
  public var contentType: String? { nonEmpty("content-type") }

  /// Whether the type is that of a Metalink, of version 4 (RFC 5854 section 7) or 3.
  public var isMetalink: Bool {
    // Byte by byte: every answer is asked.
    let name = contentType?.utf8.prefix { $0 != UInt8(ascii: ";") && $0 > UInt8(ascii: " ") }
    let type = name.map { String(Substring($0)).lowercased() }
    return type == "application/metalink4+xml" || type == "application/metalink+xml"
  }

  /// The content coding that libcurl undoes; nil for none and `identity`.
  public var contentCoding: String? {
    guard let text = nonEmpty("content-encoding")?.lowercased() else { return nil }
    return text == "identity" ? nil : text
  }

  /// Whether it tells different lengths for one body (RFC 9112 section 6.3): nobody knows its end.
  public var hasSeveralLengths: Bool {
    guard !isChunked else { return false }
    let lengths = fields.filter { $0.name == "content-length" }
    let told = lengths.flatMap { $0.value.split(separator: UInt8(ascii: ",")) }
    return Set(told.map { Array(trimmed($0)) }).count > 1
  }

  /// Whether the body is several parts with heads between them (RFC 9110 section 14.6).
  public var hasSeveralParts: Bool {
    contentType?.lowercased().hasPrefix("multipart/byteranges") == true
  }

  /// How long the server asks to wait, in seconds or up to a date (RFC 9110 section 10.2.3).
  public var retryAfter: Duration? {
    text("retry-after").flatMap { RetryAfter.parse($0, now: receivedAt) }
  }

  /// How the end of the body is known.
  public var framing: Framing {
    if isChunked { return .chunked }
    if announcedLength != nil || status == 204 || status == 304 { return .length }
    return .untilClose
  }

  /// Whether the answer came over TLS.
  public var isEncrypted: Bool { link.origin.scheme == .https }

  /// The last Content-Length, which is the one libcurl goes by.
  private var announcedLength: Int64? {
    guard let field = fields.last(where: { $0.name == "content-length" }) else { return nil }
    return Int64(digits: field.value[...])
  }

  private var isChunked: Bool {
    fields.contains { field in
      guard field.name == "transfer-encoding" else { return false }
      return String(decoding: field.value, as: UTF8.self).lowercased().contains("chunked")
    }
  }

  private func nonEmpty(_ name: String) -> String? {
    text(name).flatMap { $0.isEmpty ? nil : $0 }
  }
}

/// Retry-After as a length of time.
enum RetryAfter {
  /// A year: longer waits make no difference.
  private static let longest: Int64 = 365 * 24 * 60 * 60

  /// Reads delay seconds or an HTTP-date (curl_getdate(3)); dates that have passed give zero.
  static func parse(_ text: String, now: WallTime) -> Duration? {
    let seconds: Int64
    if let delay = Int64(digits: Array(text.utf8)[...]) {
      seconds = delay
    } else if text.utf8.allSatisfy({ isDigit($0) }) {
      seconds = text.isEmpty ? -1 : longest
    } else {
      let date = Int64(curl_getdate(text, nil))
      seconds = date < 0 ? -1 : max(0, date - now.seconds)
    }
    return seconds < 0 ? nil : .seconds(min(seconds, longest))
  }
}
