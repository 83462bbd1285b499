// SPDX-License-Identifier: Apache-2.0
//
// TransferRun, looked at from outside.

import Storage
import Transfers
import Workers

extension TransferRun {
  /// What is on disk now.
  var have: ByteRangeSet { core.withLock { $0.plan.have } }

  /// How far a repair has come; nil while there is none.
  var repair: RepairProgress? { core.withLock { $0.repair } }

  /// The complete file that the run has left to be named.
  var naming: Naming? { core.withLock { $0.naming } }

  /// What the file looks like; nil while there is none.
  var stamp: FileStamp? { core.withLock { $0.file }?.stamp }

  /// The run at this moment.
  var sample: TransferSample {
    core.withLock { core in
      TransferSample(
        id: transfer.id,
        received: ByteCount(core.plan.have.count),
        connections: core.connectionSamples,
        have: core.plan.have,
        sources: core.sourceSamples
      )
    }
  }

  /// Skips the pause before the next try.
  func retryNow() {
    let origins = core.withLock { core in
      core.askNow()
      return core.origins
    }
    for origin in origins { context.hosts.release(origin) }
    signal()
  }
}

extension RunCore {
  /// Where there is one link only there is nothing to tell.
  fileprivate var sourceSamples: [SourceSample] {
    guard sources.count > 1 else { return [] }
    return sources.map {
      SourceSample(link: $0.link, isFound: $0.isFound, standing: $0.standing)
    }
  }

  fileprivate var connectionSamples: [ConnectionSample] {
    live.keys.sorted().compactMap { number in
      guard let exchange = live[number], let segment = plan.segments[number] else { return nil }
      return ConnectionSample(
        number: number + 1,
        host: exchange.origin.host,
        phase: exchange.isReceiving ? .receiving : .connecting,
        segment: ByteRange(segment.lower, min(segment.upper, plan.total ?? segment.claimed)),
        received: ByteCount(segment.received)
      )
    }
  }
}
