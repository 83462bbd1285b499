// SPDX-License-Identifier: Apache-2.0
//
// MetalinkFile: one `file` element of a Metalink, gathered while it is read.
//
// Rule     links of schemes we do not speak are passed over while another is left. Of several
//          digests the strongest we know is taken; one that cannot be read refuses the file, since
//          it would arrive unchecked. Digests of pieces that do not fit are left out: they only
//          mend a file, they do not vouch for it.
// Bounds   64 links, 4 KiB of text in an element, 16 MiB of digests of pieces.
// Any thread. Pure.
// Source   RFC 5854, sections 4.1.2, 4.1.3 and 4.2.

import Connections
import Transfers

/// The parts of a file's description.
struct MetalinkFile {
  /// The most text of one element that is kept, in bytes.
  static let textLimit = 4096
  private static let linkLimit = 64
  private static let pieceLimit = 16 << 20

  /// The name as told, not made safe; nil when there is none.
  let name: String?

  private var links: [(link: Link, priority: Int)] = []
  private var refused: LinkError?
  private var size: ByteCount?
  private var checksums: [Checksum] = []
  private var badChecksum: ChecksumError?
  private var pieces: [PieceDigests] = []

  private var attributes: [String: String] = [:]
  private var open: OpenPieces?

  /// The `pieces` element that is being read.
  private struct OpenPieces {
    let algorithm: ChecksumAlgorithm
    let length: Int64
    /// nil as soon as one of them is none.
    var digests: [UInt8]? = []
  }

  init(name: String?) {
    self.name = name
  }

  /// An element begins; its path is counted from below `file`.
  mutating func begin(_ path: [String?], _ attributes: [String: String]) {
    self.attributes = attributes
    guard path == ["pieces"], let algorithm = ChecksumAlgorithm(named: attributes["type"] ?? ""),
      let length = Int64(attributes["length"] ?? "")
    else { return }
    open = OpenPieces(algorithm: algorithm, length: length)
  }

  /// An element ends.
  mutating func end(_ path: [String?], _ text: String) {
    switch path {
    case ["url"]: addLink(text)
    case ["size"]: size = Int64(text).flatMap { $0 >= 0 ? ByteCount($0) : nil }
    case ["hash"]: addChecksum(text)
    case ["pieces", "hash"]: addPiece(text)
    case ["pieces"]: closePieces()
    default: break
    }
  }

  /// The file as a list has it.
  ///
  /// - Throws: `ListProblem` when it cannot be fetched as it was meant.
  func entry() throws(ListProblem) -> ListEntry {
    if let badChecksum { throw .checksum(badChecksum) }
    guard !links.isEmpty else { throw .link(refused ?? .empty) }
    // Sorting is stable only by position.
    let ranked = links.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }
    var entry = ListEntry(links: ranked.map(\.element.link), checksum: strongest)
    entry.name = name.flatMap(FileName.told)
    entry.size = size
    entry.pieces = size.flatMap { size in best(pieces.filter { $0.fit(size) }) }
    return entry
  }

  private var strongest: Checksum? {
    checksums.min { Self.rank($0.algorithm) < Self.rank($1.algorithm) }
  }

  private func best(_ pieces: [PieceDigests]) -> PieceDigests? {
    pieces.min { Self.rank($0.algorithm) < Self.rank($1.algorithm) }
  }

  private static func rank(_ algorithm: ChecksumAlgorithm) -> Int {
    switch algorithm {
    case .sha256: 0
    case .sha512: 1
    case .sha1: 2
    case .md5: 3
    }
  }
}

extension MetalinkFile {
  private mutating func addLink(_ text: String) {
    guard links.count < Self.linkLimit else { return }
    do throws(LinkError) {
      let link = try Link(parsing: text)
      guard !links.contains(where: { $0.link.text == link.text }) else { return }
      let told = Int(attributes["priority"] ?? "") ?? .max
      links.append((link, told > 0 ? told : .max))
    } catch {
      refused = refused ?? error
    }
  }

  private mutating func addChecksum(_ text: String) {
    guard let algorithm = ChecksumAlgorithm(named: attributes["type"] ?? "") else { return }
    do throws(ChecksumError) {
      checksums.append(try Checksum(parsing: "\(algorithm.rawValue):\(text)"))
    } catch {
      badChecksum = badChecksum ?? error
    }
  }

  private mutating func addPiece(_ text: String) {
    guard let pieces = open, let digests = pieces.digests else { return }
    let digest = try? Checksum(parsing: "\(pieces.algorithm.rawValue):\(text)").digest
    let fits = digests.count < Self.pieceLimit
    open?.digests = fits ? digest.map { digests + $0 } : nil
  }

  private mutating func closePieces() {
    defer { open = nil }
    guard let open, let digests = open.digests,
      let found = PieceDigests(algorithm: open.algorithm, length: open.length, digests: digests)
    else { return }
    pieces.append(found)
  }
}
