// SPDX-License-Identifier: Apache-2.0
//
// PieceWatch: checks pieces of a file one after another, beside the download.
//
// Owns     a thread, begun with the first piece and joined by `end`, which must be called.
// Threads  `offer` from any; the check runs on the thread of its own.
// Never    holds up a connection: who offers a piece goes on at once.

import Workers

/// A row of pieces that wait to be checked.
final class PieceWatch: Sendable {
  private struct Line {
    /// Those before `next` were given out.
    var waiting: [Int] = []
    var next = 0
    var hasThread = false
    var isOver = false
  }

  private enum Next {
    case check(Int)
    case leave
  }

  private let line = Monitor(Line())
  private let thread = Monitor<WorkerThread?>(nil)

  /// Puts pieces in the row; without a thread for them they are left to the end of the run.
  func offer(_ pieces: [Int], check: @escaping @Sendable (Int) -> Void) {
    guard !pieces.isEmpty else { return }
    let isFirst = line.withLock { line -> Bool in
      if line.next == line.waiting.count { (line.waiting, line.next) = ([], 0) }
      line.waiting += pieces
      defer { line.hasThread = true }
      return !line.hasThread
    }
    if isFirst { start(check) }
  }

  private func start(_ check: @escaping @Sendable (Int) -> Void) {
    let worker = try? WorkerThread.start(name: "pieces") { [line] in
      while case .check(let piece) = Self.next(line) { check(piece) }
    }
    thread.withLock { $0 = worker }
  }

  private static func next(_ line: Monitor<Line>) -> Next {
    line.wait { line -> Next? in
      if line.isOver { return .leave }
      guard line.next < line.waiting.count else { return nil }
      defer { line.next += 1 }
      return .check(line.waiting[line.next])
    }
  }

  /// Ends it, if need be early, and joins the thread; pieces offered later begin anew.
  ///
  /// Nobody may offer any while this is under way.
  func end() {
    line.withLock { $0.isOver = true }
    let worker = thread.withLock { held -> WorkerThread? in
      defer { held = nil }
      return held
    }
    worker?.join()
    line.withLock { $0 = Line() }
  }
}
