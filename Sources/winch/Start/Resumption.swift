// SPDX-License-Identifier: Apache-2.0
//
// Resumption: whether a request is for something the session has begun already.
//
// Rule     the same link, into the same directory, under the same chosen name, and not finished.

import Engine
import Transfers

/// Matches requests with what the session remembers.
struct Resumption {
  private struct Key: Hashable {
    let link: String
    let directory: String
    let name: String?

    init(_ request: TransferRequest) {
      link = request.link.text
      directory = request.directory
      name = request.name
    }
  }

  private var unfinished: [Key: [TransferID]] = [:]

  /// Looks through what is remembered, in queue order.
  init(_ remembered: [Transfer]) {
    for transfer in remembered where !transfer.state.isFinished {
      unfinished[Key(transfer.request), default: []].append(transfer.id)
    }
  }

  /// The transfer that a request carries on, which is then taken; nil for a new one.
  mutating func take(_ request: TransferRequest) -> TransferID? {
    let key = Key(request)
    guard var ids = unfinished[key], !ids.isEmpty else { return nil }
    let first = ids.removeFirst()
    unfinished[key] = ids
    return first
  }

  /// Adds the new requests, renews the others, and leaves all of them queued.
  ///
  /// - Returns: The identities, in the order of the requests.
  static func enlist(
    _ requests: [TransferRequest],
    _ engine: TransferEngine,
    _ remembered: [Transfer]
  ) -> [TransferID] {
    var resumption = Resumption(remembered)
    let known = requests.map { resumption.take($0) }
    let new = zip(requests, known).filter { $0.1 == nil }.map(\.0)
    var added = engine.add(new)[...]
    return zip(requests, known).map { request, known in
      guard let known else { return added.removeFirst() }
      engine.renew(known, request)
      return known
    }
  }
}
