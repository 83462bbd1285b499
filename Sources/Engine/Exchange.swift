// SPDX-License-Identifier: Apache-2.0
//
// Exchange: one request and its answer, for one worker: judges the head, writes the bytes.
//
// Threads  lives on its worker's stack; the connection calls back on the same thread.
// Never    writes a byte before the head was accepted.

import Connections
import Storage
import Synchronization
import Transfers

/// One request of a run.
struct Exchange {
  let run: TransferRun
  let number: Int
  let job: Job

  /// Makes the exchange; blocks until it ended.
  func make() -> FetchOutcome {
    let connection = run.context.connect()
    guard register(connection) else { return .stopped }
    var refusal: AnswerVerdict?
    var writer: SegmentWriter?
    do throws(ConnectionError) {
      _ = try connection.run(
        request,
        onHead: { head in
          switch accept(head) {
          case .success(let accepted):
            writer = accepted
            return accepted.expectsBytes ? .accept : .reject
          case .failure(let refused):
            refusal = refused.verdict
            return .reject
          }
        },
        onChunk: { writer?.take($0) ?? .stop }
      )
      return finish(&writer, refusal) ?? .ended
    } catch {
      return finish(&writer, refusal) ?? outcome(of: error)
    }
  }

  private func register(_ connection: any Connection) -> Bool {
    run.core.withLock { core in
      guard core.ending == nil, core.generation == job.generation else { return false }
      core.live[number] = LiveExchange(
        connection: connection,
        generation: job.generation,
        host: job.link.origin.host
      )
      return true
    }
  }

  /// Writes what is still in memory and says whether the head or the disk decided the end.
  private func finish(_ writer: inout SegmentWriter?, _ refusal: AnswerVerdict?) -> FetchOutcome? {
    writer?.flush()
    if let failure = writer?.failure { return .failed(failure, retryAfter: nil) }
    if let refusal { return .refused(refusal) }
    if let writer, !writer.expectsBytes { return .ended }
    return nil
  }

  private func outcome(of error: ConnectionError) -> FetchOutcome {
    switch error {
    case .cancelled, .rejected, .stopped: .stopped
    case .failure(let failure): .failed(failure, retryAfter: nil)
    }
  }
}

extension Exchange {
  private var request: ConnectionRequest {
    var request = ConnectionRequest(link: job.link)
    request.range = range
    request.ifRange = ifRange
    request.headers = run.transfer.request.headers
    request.headerOrigin = run.transfer.request.link.origin
    request.trust = run.transfer.request.trust
    if run.context.budget.rate != nil || run.budget != nil {
      request.receiveBuffer = ByteCount(16 * 1024)
    }
    return request
  }

  private var range: RequestedRange {
    if !job.expectation.withRange { return .whole }
    if job.range.upper == SegmentPlan.unknownEnd { return .from(job.range.lower) }
    return .part(job.range)
  }

  private var ifRange: String? {
    switch job.expectation.condition {
    case .none: nil
    case .tag: job.expectation.validators.strongTag
    case .date: job.expectation.validators.lastModified
    }
  }

  /// Judges the head and, when it is accepted, gets ready to write.
  private func accept(_ head: ResponseHead) -> Result<SegmentWriter, Refused> {
    let verdict = job.expectation.judge(head)
    switch verdict {
    case .accept(_, let total, let isRanged):
      return prepare(head, total: total, isRanged: isRanged)
    case .empty:
      return prepare(head, total: 0, isRanged: false)
    case .askWithoutRange, .askWithDate, .foreign, .changed, .failed:
      return .failure(Refused(verdict: verdict))
    }
  }

  private func prepare(
    _ head: ResponseHead,
    total: Int64?,
    isRanged: Bool
  ) -> Result<SegmentWriter, Refused> {
    do throws(Failure) {
      let file = try run.file(for: head, job: job, total: total)
      let checksum = try run.admit(head, job, number, total: total, isRanged: isRanged, file: file)
      return .success(
        SegmentWriter(
          run: run,
          number: number,
          generation: job.generation,
          file: file,
          checksum: checksum,
          expectsBytes: total != 0
        )
      )
    } catch {
      return .failure(Refused(verdict: .failed(error, retryAfter: nil)))
    }
  }
}

/// A head that was not accepted.
private struct Refused: Error {
  let verdict: AnswerVerdict
}
