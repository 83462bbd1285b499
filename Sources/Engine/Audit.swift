// SPDX-License-Identifier: Apache-2.0
//
// Audit: compares what is on disk with the hashes it had, beside the download.
//
// Owns     a thread, joined by `end`, which must be called once it has begun.
// Threads  `found` is called back on the audit's thread, block by block; `end` from the run's own.
// Never    changes the file.

import Storage
import Synchronization
import Transfers
import Workers

/// What a comparison has found out.
struct AuditResult {
  var right = 0
  var wrong = 0
  /// Bytes in blocks that are not right.
  var lost: Int64 = 0

  /// The line for the log.
  var words: String {
    if wrong == 0 { return "the bytes on disk are those that were left: \(right) blocks" }
    return "damaged on disk: \(wrong) of \(right + wrong) blocks, \(lost) bytes are fetched again"
  }
}

/// A comparison of blocks beside a run; it happens at most once.
final class Audit: Sendable {
  private let stopped = Atomic(false)
  private let thread = Monitor<WorkerThread?>(nil)

  /// Begins.
  ///
  /// - Parameters:
  ///   - blocks: In the order in which they are compared.
  ///   - file: Where the bytes are.
  ///   - found: Told of each block whether its bytes are right; returns whether to go on.
  ///   - ended: Told when nothing more is compared.
  /// - Throws: `ThreadError` when the system refuses a thread.
  func begin(
    _ blocks: [Block],
    of file: PartialFile,
    found: @escaping @Sendable (Block, Bool) -> Bool,
    ended: @escaping @Sendable (AuditResult) -> Void
  ) throws(ThreadError) {
    let worker = try WorkerThread.start(name: "audit") { [self] in
      ended(
        Self.compare(blocks, of: file) { !stopped.load(ordering: .relaxed) && found($0, $1) }
      )
    }
    thread.withLock { $0 = worker }
  }

  /// Ends it, if need be early, and joins the thread.
  func end() {
    stopped.store(true, ordering: .relaxed)
    let worker = thread.withLock { held -> WorkerThread? in
      defer { held = nil }
      return held
    }
    worker?.join()
  }

  /// Compares blocks one by one, as long as `found` says so; what cannot be read is not right.
  static func compare(
    _ blocks: [Block],
    of file: PartialFile,
    found: (Block, Bool) -> Bool = { _, _ in true }
  ) -> AuditResult {
    var result = AuditResult()
    let reader = BlockReader()
    for block in blocks {
      let hash = (try? reader.hash(block.range, in: file)).flatMap { $0 }
      let isRight = hash == block.hash
      guard found(block, isRight) else { return result }
      if isRight {
        result.right += 1
      } else {
        result.wrong += 1
        result.lost += block.range.count
      }
    }
    return result
  }
}
