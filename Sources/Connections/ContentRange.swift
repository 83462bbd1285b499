// SPDX-License-Identifier: Apache-2.0
//
// ContentRange: which bytes of the file an answer says it carries.
//
// Holds    RFC 9110 section 14.4, first and last byte included, as on the wire.
// Never    repairs: what contradicts itself is malformed.

/// The value of a Content-Range field.
public enum ContentRange: Hashable, Sendable {
  /// Bytes `first` to `last`, both included, of `total` bytes when the server knows that.
  case range(ClosedRange<Int64>, total: Int64?)
  /// No byte can be sent; the file has `total` bytes when the server says so.
  case unsatisfied(total: Int64?)
  /// Not a byte range.
  case malformed

  /// Reads the value of a field: `bytes 0-99/200`, `bytes 0-99/*`, `bytes */200`.
  public init(parsing value: [UInt8]) {
    self = Self.parse(value[...]) ?? .malformed
  }

  private static func parse(_ value: ArraySlice<UInt8>) -> ContentRange? {
    guard let rest = afterUnit(value), let slash = rest.firstIndex(of: UInt8(ascii: "/")) else {
      return nil
    }
    let span = trimmed(rest[..<slash])
    guard let total = parseTotal(trimmed(rest[(slash + 1)...])) else { return nil }
    if span.elementsEqual("*".utf8) { return .unsatisfied(total: total) }
    return parseSpan(span, total: total)
  }

  private static func parseSpan(_ span: ArraySlice<UInt8>, total: Int64?) -> ContentRange? {
    guard let dash = span.firstIndex(of: UInt8(ascii: "-")),
      let first = Int64(digits: trimmed(span[..<dash])),
      let last = Int64(digits: trimmed(span[(dash + 1)...])),
      first <= last, last < total ?? .max
    else { return nil }
    return .range(first...last, total: total)
  }

  /// The total, `.some(nil)` for `*`, nil when it is neither a number nor `*`.
  private static func parseTotal(_ text: ArraySlice<UInt8>) -> Int64?? {
    if text.elementsEqual("*".utf8) { return .some(nil) }
    return Int64(digits: text).map { .some($0) }
  }

  /// What follows `bytes`, for which some servers write `bytes=` or `Bytes:`.
  private static func afterUnit(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let unit = value.prefix(5).map { $0 | 0x20 }
    guard unit.elementsEqual("bytes".utf8) else { return nil }
    return value.dropFirst(5).drop { " \t=:".utf8.contains($0) }
  }
}

/// The bytes without blanks at both ends.
func trimmed<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence {
  var rest = bytes[...]
  while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
  while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
  return rest
}

func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}

extension Int64 {
  /// Reads a number of nothing but digits; nil for anything else and beyond 64 bits.
  init?(digits: ArraySlice<UInt8>) {
    guard !digits.isEmpty else { return nil }
    var number: Int64 = 0
    for byte in digits {
      guard isDigit(byte) else { return nil }
      let (tens, over) = number.multipliedReportingOverflow(by: 10)
      let (sum, more) = tens.addingReportingOverflow(Int64(byte & 0x0F))
      guard !over, !more else { return nil }
      number = sum
    }
    self = number
  }
}
