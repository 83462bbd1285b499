// SPDX-License-Identifier: Apache-2.0
//
// Resumption: whether a request is for something the session has begun already.
//
// Rules    the same link, into the same directory, under the same chosen name, and not finished.
//          Where one of them is carried on, those that are finished and there are not fetched again.

import Storage
public import Transfers

/// Matches requests with what the session remembers.
public struct Resumption {
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
  private var finished: [Key: [TransferID]] = [:]

  /// Looks through what is remembered, in queue order.
  init(_ remembered: [Transfer]) {
    for transfer in remembered {
      let key = Key(transfer.request)
      if !transfer.state.isFinished {
        unfinished[key, default: []].append(transfer.id)
      } else if Disk.isFile("\(transfer.request.directory)/\(transfer.name)") {
        finished[key, default: []].append(transfer.id)
      }
    }
  }

  /// For each request the transfer that it carries on, or that has carried it out; nil for new ones.
  mutating func take(_ requests: [TransferRequest]) -> [TransferID?] {
    let carriedOn = requests.map { Self.takeFirst(Key($0), of: &unfinished) }
    guard carriedOn.contains(where: { $0 != nil }) else { return carriedOn }
    return zip(requests, carriedOn).map { request, known in
      known ?? finished[Key(request)]?.last
    }
  }

  /// Adds the new requests, renews the others, and leaves all of them queued that are not finished.
  ///
  /// - Returns: The identities, in the order of the requests.
  public static func enlist(
    _ requests: [TransferRequest],
    _ engine: TransferEngine,
    _ remembered: [Transfer]
  ) -> [TransferID] {
    if remembered.isEmpty { return engine.add(requests) }
    var resumption = Resumption(remembered)
    let known = resumption.take(requests)
    let new = zip(requests, known).filter { $0.1 == nil }.map(\.0)
    var added = engine.add(new)[...]
    return zip(requests, known).map { request, known in
      guard let known else { return added.removeFirst() }
      if engine.transfer(known)?.state.isFinished != true { engine.renew(known, request) }
      return known
    }
  }

  private static func takeFirst(_ key: Key, of ids: inout [Key: [TransferID]]) -> TransferID? {
    guard let first = ids[key]?.first else { return nil }
    ids[key]?.removeFirst()
    return first
  }
}
