// SPDX-License-Identifier: Apache-2.0
//
// RunCore, when digests of pieces are known: which are right, and what becomes of a wrong one.
//
// Rules    A wrong piece becomes a gap, and whoever brought bytes of it is set aside as long as there
//          is another source. After three tries what still differs stays, and the run ends as with a
//          wrong digest.

import Storage
import Transfers

/// What is known about the pieces of a file.
struct PieceBook {
  /// How often a piece is fetched again.
  static let tries = 3

  /// Those whose bytes agree.
  var right: Set<Int> = []
  /// How often each was wrong.
  var wrong: [Int: Int] = [:]
}

/// What the run has to do after pieces were given up.
struct PieceLoss {
  /// How many there were.
  var count = 0
  var ranges: [ByteRange] = []
  var asides: [Aftermath] = []
  /// The digest that ran along has taken wrong bytes; it is made anew from the disk at the end.
  var checksum: RunningChecksum?
}

extension RunCore {
  /// The digests of pieces and the size they fit; nil when there is nothing to check by.
  var pieces: (digests: PieceDigests, size: ByteCount)? {
    if let digests = request.pieces, let size = request.size { return (digests, size) }
    guard let digests = announced.pieces, let total = plan.total, digests.fit(ByteCount(total))
    else { return nil }
    return (digests, ByteCount(total))
  }

  /// What a piece is checked with.
  var pieceCheck: PieceCheck? {
    guard let (digests, size) = pieces, let file else { return nil }
    return PieceCheck(pieces: digests, size: size, file: file)
  }

  /// Notes which source brought bytes.
  mutating func credit(_ number: Int, _ range: ByteRange) {
    guard let source = live[number]?.source else { return }
    sources[source].gave.insert(range)
  }

  /// The pieces with bytes in a range that are whole on disk, believed, and not known to be right.
  func piecesToCheck(touching range: ByteRange) -> [Int] {
    guard let (digests, size) = pieces, !range.isEmpty, range.lower < size.bytes else { return [] }
    let first = Int(range.lower / digests.length)
    let last = Int((min(range.upper, size.bytes) - 1) / digests.length)
    return (first...last).filter { index in
      let piece = digests.range(of: index, in: size)
      return !pieceBook.right.contains(index) && plan.have.contains(piece)
        && !unaudited.touches(piece)
    }
  }

  /// Takes what a check beside the download has shown; near the end it is left to the last look.
  ///
  /// - Returns: What was given up.
  mutating func judge(piece index: Int, isRight: Bool, in begun: Int) -> PieceLoss? {
    guard generation == begun, ending == nil, let (digests, size) = pieces,
      plan.have.contains(digests.range(of: index, in: size))
    else { return nil }
    if isRight {
      pieceBook.right.insert(index)
      return nil
    }
    return plan.isComplete ? nil : giveUp(pieces: [index])
  }

  /// Gives wrong pieces up, and with them the sources that brought them; nil when none of them may
  /// be fetched once more.
  mutating func giveUp(pieces wrong: [Int]) -> PieceLoss? {
    guard let (digests, size) = pieces else { return nil }
    let chosen = wrong.filter { pieceBook.wrong[$0, default: 0] < PieceBook.tries }
    guard !chosen.isEmpty else { return nil }
    let ranges = chosen.map { digests.range(of: $0, in: size) }
    let culprits = sources.indices.filter { source in
      ranges.contains { sources[source].gave.touches($0) }
    }
    for index in chosen { pieceBook.wrong[index, default: 0] += 1 }
    for range in ranges { forget(piece: range) }
    defer { checksum = nil }
    let failure = Failure(.checksumDiffers, detail: "a piece of it differs from its digest")
    return PieceLoss(
      count: chosen.count,
      ranges: ranges,
      asides: culprits.compactMap { setAside($0, failure) },
      checksum: checksum
    )
  }

  private mutating func forget(piece range: ByteRange) {
    plan.forget(range)
    unproven?.remove(range)
    for source in sources.indices {
      sources[source].gave.remove(range)
      sources[source].blocks = nil
    }
  }
}
