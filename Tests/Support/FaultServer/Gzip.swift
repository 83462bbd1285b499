// SPDX-License-Identifier: Apache-2.0
//
// Gzip without compression: stored blocks only (RFC 1951 section 3.2.4, RFC 1952).

/// The bytes as a gzip stream of stored blocks.
public func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
  let size = 0xFFFF
  var start = 0
  repeat {
    let block = bytes[start..<min(start + size, bytes.count)]
    start += block.count
    let length = UInt16(block.count)
    stream.append(start == bytes.count ? 1 : 0)
    stream += littleEndian(length) + littleEndian(~length) + block
  } while start < bytes.count
  return stream + littleEndian(checksum(bytes))
    + littleEndian(UInt32(truncatingIfNeeded: bytes.count))
}

private func littleEndian(_ number: some FixedWidthInteger) -> [UInt8] {
  withUnsafeBytes(of: number.littleEndian) { Array($0) }
}

/// CRC-32 as in RFC 1952 section 8.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
  var sum: UInt32 = ~0
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 {
      let carry: UInt32 = sum & 1
      sum >>= 1
      if carry == 1 { sum ^= 0xEDB8_8320 }
    }
  }
  return ~sum
}
