// SPDX-License-Identifier: Apache-2.0
//
// BlockLedger: which bytes of a transfer's file have a known hash, in memory and in the session.
//
// The recorder hashes what is claimed when it makes it durable; a run says when claimed bytes are
// given up or written anew. Both meet here.
//
// Holds    a hash enters only when no byte was given up since the claim it belongs to was looked
//          at, so `revision` is read before the claim.
// Threads  `hash`, `unstored` and `stored` from the recorder's, the rest from any.

import Storage
import Transfers
import Workers

/// The known blocks of one transfer.
final class BlockLedger: Sendable {
  private struct Books {
    var revision = 0
    var blocks: BlockMap
    /// What the session has.
    var stored: BlockMap
    /// Bytes that may have changed since they were hashed: what is there now is not hashed again.
    var unaudited: ByteRangeSet
  }

  private let books: Monitor<Books>

  /// Begins with what the session has.
  init(_ stored: BlockMap = BlockMap()) {
    let unaudited = ByteRangeSet(stored.blocks.map(\.range))
    books = Monitor(Books(blocks: stored, stored: stored, unaudited: unaudited))
  }

  /// The blocks that are known now.
  var blocks: BlockMap { books.withLock { $0.blocks } }

  /// Counts how often bytes were given up.
  var revision: Int { books.withLock { $0.revision } }

  /// Notes that no byte is what it was.
  func forgetAll() {
    books.withLock { books in
      books.revision += 1
      books.blocks = BlockMap()
      books.unaudited = ByteRangeSet()
    }
  }

  /// The blocks to compare before the bytes of `have` are believed; on demand also those that were
  /// hashed or compared by this process.
  func blocksToAudit(of have: ByteRangeSet, all: Bool) -> [Block] {
    books.withLock { books in
      books.blocks = BlockMap(books.blocks.blocks.filter { have.contains($0.range) })
      let unaudited = books.unaudited
      let wanted = books.blocks.blocks.filter { all || unaudited.touches($0.range) }
      books.unaudited = ByteRangeSet(wanted.map(\.range))
      return wanted
    }
  }

  /// Notes what the comparison of a block has shown; after this its bytes may be given up.
  func audited(_ range: ByteRange, isRight: Bool) {
    books.withLock { books in
      books.unaudited.remove(range)
      if isRight { return }
      books.revision += 1
      books.blocks.forget(range)
    }
  }

  /// Hashes what is claimed and was not hashed before.
  ///
  /// - Parameters:
  ///   - have: The claim.
  ///   - file: Where the bytes are.
  ///   - revision: As it was before the claim was looked at.
  ///   - limit: The most blocks to read now.
  /// - Returns: Whether nothing is left to be hashed.
  func hash(_ have: ByteRangeSet, of file: PartialFile, at revision: Int, limit: Int) -> Bool {
    let (before, unaudited) = books.withLock { ($0.blocks, $0.unaudited) }
    let pieces = have.blockRanges.filter { !unaudited.touches($0) }
    let (known, unknown) = before.sort(pieces)
    let waiting = before.blocks.filter { unaudited.touches($0.range) }
    let kept = known.blocks + waiting
    if unknown.isEmpty, kept.count == before.blocks.count { return true }
    let reader = BlockReader()
    // What cannot be read gets no hash, and is found by whoever needs the bytes.
    let found = unknown.prefix(limit).compactMap { piece in
      (try? reader.hash(piece, in: file)).flatMap { $0 }.map { Block(piece, hash: $0) }
    }
    let isCurrent = books.withLock { books -> Bool in
      guard books.revision == revision else { return false }
      books.blocks = BlockMap(kept + found)
      return true
    }
    return isCurrent && unknown.count <= limit
  }

  /// What the session does not have yet, and what it has when it has taken that.
  func unstored() -> (changes: BlockChanges, blocks: BlockMap) {
    books.withLock { ($0.blocks.changes(since: $0.stored), $0.blocks) }
  }

  /// Notes what the session has now.
  func stored(_ blocks: BlockMap) {
    books.withLock { $0.stored = blocks }
  }
}
