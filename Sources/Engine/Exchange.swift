// SPDX-License-Identifier: Apache-2.0
//
// Exchange: one request for one worker; its answer goes to an `Intake`.
//
// Threads  lives on its worker's stack.
// Never    outlives the connection's run, which ends exactly once.

import Connections
import Transfers
import Workers

/// One request of a run.
struct Exchange {
  let run: TransferRun
  let number: Int
  let job: Job

  /// Makes the exchange and writes it into the log; blocks until it ended.
  func make() -> FetchOutcome {
    let connection = run.context.connect()
    let request = request
    let isNarrow = request.window != nil
    let isWanted = run.core.withLock { $0.register(connection, number, job, isNarrow: isNarrow) }
    guard isWanted else { return .stopped }
    let outcome = carryOut(connection, request)
    let record = ExchangeRecord(
      number: number,
      host: job.link.origin.host,
      asked: range,
      trace: connection.trace,
      outcome: outcome
    )
    run.context.record(record)
    return outcome
  }

  private func carryOut(
    _ connection: any Connection,
    _ request: ConnectionRequest
  ) -> FetchOutcome {
    var intake = Intake(run, number: number, job: job, window: request.window)
    do throws(ConnectionError) {
      _ = try connection.run(
        request,
        onHead: { intake.begin($0) },
        onChunk: { intake.take($0) }
      )
      return intake.end() ?? .ended
    } catch {
      return intake.end() ?? FetchOutcome(error)
    }
  }
}

extension FetchOutcome {
  /// How an exchange ended that its connection could not finish.
  init(_ error: ConnectionError) {
    switch error {
    case .cancelled, .rejected, .stopped: self = .stopped
    case .failure(let failure): self = .failed(failure, retryAfter: nil)
    }
  }
}

extension Exchange {
  private var request: ConnectionRequest {
    var request = run.request(for: job.link, isFound: job.isFound)
    request.window = run.window()
    request.range = range
    request.ifRange = ifRange
    return request
  }

  private var range: RequestedRange {
    if !job.expectation.withRange { return .whole }
    let start = job.expectation.start
    if job.range.upper == SegmentPlan.unknownEnd { return .from(start) }
    return .part(ByteRange(start, job.range.upper))
  }

  private var ifRange: String? {
    switch job.expectation.condition {
    case .none: nil
    case .tag: job.expectation.validators.strongTag
    case .date: job.expectation.validators.lastModified
    }
  }
}

extension TransferRun {
  /// A request for the whole of a link, with what the user gave for the transfer; a link that a
  /// server named gets nothing of that.
  func request(for link: Link, isFound: Bool) -> ConnectionRequest {
    var request =
      isFound ? ConnectionRequest(link: link) : ConnectionRequest(link, of: transfer.request)
    if context.budget.rate != nil || budget.rate != nil {
      request.receiveBuffer = ByteCount(16 * 1024)
    }
    return request
  }
}
