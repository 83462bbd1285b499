// SPDX-License-Identifier: Apache-2.0
//
// ChecksumList: a text that names the digests of files, such as SHA256SUMS or NAME.sha256.
//
// Forms    `HEX  NAME`, `HEX *NAME` (sha256sum(1)); `SHA256 (NAME) = HEX` (BSD); a single `HEX`.
// Rule     two different digests for one name are as good as none.
// Any thread. Pure.

/// The digests in a text.
public struct ChecksumList {
  private var named: [(name: String, checksum: Checksum)] = []
  private var unnamed: [Checksum] = []

  /// Reads a text; lines that say nothing are passed over.
  ///
  /// - Parameters:
  ///   - bytes: The whole text.
  ///   - algorithm: What digests are that do not name their kind.
  public init(_ bytes: [UInt8], _ algorithm: ChecksumAlgorithm) {
    for line in bytes.split(whereSeparator: { $0 == 10 || $0 == 13 }) {
      guard let text = String(validating: line, as: UTF8.self) else { continue }
      take(text[...], algorithm)
    }
  }

  /// The digest of a file.
  ///
  /// - Parameters:
  ///   - name: Its name, without a directory.
  ///   - isOwn: Whether the text is about this file only, so that a digest may stand alone.
  /// - Returns: nil when there is none, or more than one.
  public func checksum(of name: String, isOwn: Bool) -> Checksum? {
    let found = Set(named.filter { Self.last($0.name) == name }.map(\.checksum))
    if found.count == 1 { return found.first }
    let alone = Set(unnamed)
    return isOwn && found.isEmpty && alone.count == 1 ? alone.first : nil
  }

  private mutating func take(_ line: Substring, _ algorithm: ChecksumAlgorithm) {
    let digits = line.prefix { !$0.isWhitespace }
    if let checksum = try? Checksum(parsing: "\(algorithm.rawValue):\(digits)") {
      let rest = line[digits.endIndex...].drop(while: \.isWhitespace)
      let name = rest.first == "*" ? rest.dropFirst() : rest
      if name.isEmpty { unnamed.append(checksum) } else { named.append((String(name), checksum)) }
    } else if let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"),
      open < close, let equals = line[close...].firstIndex(of: "=")
    {
      let kind = line[..<open].filter { !$0.isWhitespace }
      let digits = line[line.index(after: equals)...]
      guard let checksum = try? Checksum(parsing: "\(kind):\(digits)") else { return }
      named.append((String(line[line.index(after: open)..<close]), checksum))
    }
  }

  private static func last(_ path: String) -> Substring {
    path.split(separator: "/").last ?? ""
  }
}
