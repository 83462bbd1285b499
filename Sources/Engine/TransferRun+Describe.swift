// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, when the server names a document that describes the file: it is read beside the
// download, and what it says helps from then on.
//
// Threads  a connection's thread of its own; `endDescribing` on the run's, before the file is checked.
// Never    holds the download up, nor its end: what has not come by then is not waited for. Until it
//          has been read it is remembered, so that a later run asks for it.

import Connections
import Transfers
import Workers

extension TransferRun {
  /// Begins to read the document that this answer names, or that an earlier one has named.
  func describe(_ job: Job, name: String) {
    let wanted = core.withLock { core in
      core.documentToRead().map { ($0, core.generation, core.plan.total ?? 0) }
    }
    guard let (document, generation, total) = wanted else { return }
    let search = DescriptionSearch(document: document, context: context)
    let operation = BlockingOperation(name: "describe") { [self] flag in
      do throws(DescriptionSearch.Unread) {
        let found = try search.description(of: name, size: ByteCount(total), unless: flag)
        haveRead(document, in: generation)
        if let found { take(found, namedBy: job.link.origin, in: generation) }
      } catch {
        context.note("the Metalink about the file did not come")
      }
      return .succeeded
    }
    describing.withLock { $0 = operation }
    // Without a thread for it, there is no description.
    try? context.connections.add(operation)
  }

  private func haveRead(_ document: Link, in generation: Int) {
    let told = core.withLock { core in
      core.haveRead(document, in: generation) ? core.toRemember : nil
    }
    if let told { context.announce(told) }
  }

  private func take(_ found: FileDescription, namedBy origin: Origin, in generation: Int) {
    let told = core.withLock { core -> Announced? in
      core.take(found, namedBy: origin, in: generation) ? core.toRemember : nil
    }
    guard let told else { return }
    context.announce(told)
    context.note(found.announced.words)
    checkPieces(touching: core.withLock { $0.plan.whole })
    signal()
  }

  /// Ends the reading, if need be early.
  func endDescribing() {
    let operation = describing.withLock { held -> BlockingOperation? in
      defer { held = nil }
      return held
    }
    operation?.cancel()
    _ = operation?.waitUntilEnded()
  }
}

extension Announced {
  fileprivate var words: String {
    let parts = [
      checksum.map { $0.algorithm.shown }, pieces.map { "\($0.count) pieces" },
      "\(mirrors.count) links",
    ]
    return "a Metalink describes the file: " + parts.compactMap(\.self).joined(separator: ", ")
  }
}
