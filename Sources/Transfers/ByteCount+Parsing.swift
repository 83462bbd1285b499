// SPDX-License-Identifier: Apache-2.0
//
// Sizes and rates as people write them: `800K`, `2.5M`, `1GiB`, `2MB/s`.
//
// Form     a number, perhaps with a fraction, and a unit. `K` and `KiB` are 1024 bytes and `kB` is
//          1000; likewise M, G and T; case decides nothing. Without a unit they are bytes.
// Never    rounds up: what is less than a byte is cut off.

extension ByteCount {
  /// Reads a size; nil for what is not one, is zero, or does not fit into 63 bits.
  public init?(parsing text: some StringProtocol) {
    let text = withoutBlanks(text)
    let digits = text.prefix { $0.isASCII && $0.isNumber || $0 == "." }
    guard let unit = unit(withoutBlanks(text[digits.endIndex...])),
      let bytes = product(digits, unit), bytes > 0
    else { return nil }
    self.init(bytes)
  }
}

extension ByteRate {
  /// Reads a rate: a size, behind which `/s` may follow; nil for what is not one.
  public init?(parsing text: some StringProtocol) {
    let size = text.hasSuffix("/s") ? String(text.dropLast(2)) : String(text)
    guard let count = ByteCount(parsing: size) else { return nil }
    self.init(count.bytes)
  }
}

extension ByteRate {
  /// The shortest text that reads back as exactly this rate: `512K`, `2MB`, `1234`.
  public var text: String {
    for (name, unit) in [("M", 1 << 20), ("MB", 1_000_000), ("K", 1 << 10), ("kB", 1000)]
      as [(String, Int64)]
    where bytesPerSecond > 0 && bytesPerSecond % unit == 0 {
      return "\(bytesPerSecond / unit)\(name)"
    }
    return "\(bytesPerSecond)"
  }
}

/// Bytes in a unit.
private func unit(_ name: String) -> Int64? {
  let name = name.lowercased()
  if name.isEmpty || name == "b" { return 1 }
  guard let power = Array("kmgt").firstIndex(of: name[name.startIndex]) else { return nil }
  let base: Int64
  switch name.dropFirst() {
  case "", "ib": base = 1024
  case "b": base = 1000
  default: return nil
  }
  return (0...power).reduce(1) { product, _ in product * base }
}

/// `number` times `unit`, cut to whole bytes; nil for what is not a number or too large.
private func product(_ number: some StringProtocol, _ unit: Int64) -> Int64? {
  let parts = number.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
  let fraction = parts.count == 2 ? String(parts[1].prefix(6)) : ""
  guard let whole = Int64(parts[0]), let part = Int64("0" + fraction),
    parts.count == 1 || !fraction.isEmpty
  else { return nil }
  let (bytes, isTooLarge) = whole.multipliedReportingOverflow(by: unit)
  let scale = fraction.reduce(Int64(1)) { scale, _ in scale * 10 }
  let (sum, overflows) = bytes.addingReportingOverflow(part * unit / scale)
  return isTooLarge || overflows ? nil : sum
}

private func withoutBlanks(_ text: some StringProtocol) -> String {
  let isBlank = { (byte: Unicode.Scalar) in byte == " " || byte == "\t" }
  let start = String(text).unicodeScalars.drop(while: isBlank)
  return String(String.UnicodeScalarView(start.reversed().drop(while: isBlank).reversed()))
}
