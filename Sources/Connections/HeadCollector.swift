// SPDX-License-Identifier: Apache-2.0
//
// HeadCollector: gathers the lines of one header block as libcurl hands them over.
//
// Holds    status line and fields of the current block; a new status line starts over.
// Never    keeps more than 256 KiB: no honest head is that long.

internal import Transfers

struct HeadCollector {
  static let limit = 256 * 1024

  private(set) var status = 0
  private(set) var reason = ""
  private(set) var fields: [ResponseField] = []
  private var size = 0

  /// What a line did to the head.
  enum Progress {
    /// The block goes on.
    case open
    /// The block has ended.
    case complete
    /// The head is too long.
    case tooLong
  }

  /// Takes one line with its line end.
  mutating func take(_ line: UnsafeRawBufferPointer) -> Progress {
    let end = line.lastIndex { $0 != 10 && $0 != 13 }
    guard let end else { return .complete }
    let content = UnsafeRawBufferPointer(rebasing: line[...end])
    if content.starts(with: "HTTP/".utf8) {
      start(content)
    } else if content[0] == 0x20 || content[0] == 0x09 {
      fold(content)
    } else {
      append(content)
    }
    size += content.count
    return size > Self.limit ? .tooLong : .open
  }

  /// Forgets the block.
  mutating func clear() {
    self = HeadCollector()
  }

  private mutating func start(_ line: UnsafeRawBufferPointer) {
    clear()
    let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    if parts.count > 1 { status = Int(Int64(digits: Array(parts[1])[...]) ?? 0) }
    if parts.count > 2 { reason = String(decoding: parts[2], as: UTF8.self) }
  }

  private mutating func append(_ line: UnsafeRawBufferPointer) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return }
    let name = String(decoding: line[..<colon], as: UTF8.self)
    fields.append(ResponseField(name: name, value: Array(trimmed(line[(colon + 1)...]))))
  }

  /// Joins a folded line to the field before it (RFC 9112 section 5.2).
  private mutating func fold(_ line: UnsafeRawBufferPointer) {
    guard let last = fields.popLast() else { return }
    let more = Array(trimmed(line))
    fields.append(ResponseField(name: last.name, value: last.value + [0x20] + more))
  }
}
