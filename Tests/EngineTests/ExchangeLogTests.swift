// SPDX-License-Identifier: Apache-2.0
//
// ExchangeLogTests: what the log of a transfer tells of its connections.

import Connections
import FaultServer
import Storage
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "log", size: 3 * 1024 * 1024)

@Suite struct ExchangeLogTests {
  private let fresh = ConnectionTrace(
    status: 206,
    received: ByteCount(1_048_576),
    timings: ConnectionTimings(
      name: .milliseconds(1),
      connect: .milliseconds(21),
      tls: .milliseconds(82),
      firstByte: .milliseconds(122),
      total: .milliseconds(2310)
    )
  )

  private func record(_ trace: ConnectionTrace?, _ outcome: FetchOutcome) -> ExchangeRecord {
    ExchangeRecord(
      number: 2,
      host: "one.test",
      asked: .part(ByteRange(1_048_576, 2_097_152)),
      trace: trace,
      outcome: outcome
    )
  }

  @Test func anExchangeIsTakenApartIntoItsPhases() {
    #expect(
      record(fresh, .ended).text
        == "connection 3 to one.test, bytes 1048576-2097151, 206, 1048576 bytes in 2.310 s"
        + " (name 0.001, TCP 0.020, TLS 0.061, first byte 0.040): complete"
    )
  }

  @Test func aKeptConnectionHasNoPhasesOfItsOwn() {
    var kept = fresh
    kept.reused = true
    #expect(record(kept, .ended).text.contains("(kept open, first byte 0.122): complete"))
  }

  @Test func withoutAnAnswerThereAreNoPhases() {
    let failure = Failure(.cannotConnect, detail: "port 9")
    let text = record(nil, .failed(failure, retryAfter: nil)).text
    #expect(
      text
        == "connection 3 to one.test, bytes 1048576-2097151: \(failure.short) (port 9)"
    )
  }

  @Test func eachConnectionOfATransferIsToldWithWhyItEnded() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.turn == 1
        ? Served(content).cut(asked, after: 1024 * 1024) : Served(content).whole(asked)
    }
    let id = bench.fetch("/file?token=s3cret") { request in
      request.headers = [HeaderField(name: "X-Key", value: "s3cret")].compactMap(\.self)
    }
    bench.pass(try #require(bench.waitForRetry(id)))
    #expect(bench.waitFinished(id))
    let lines = bench.engine.log(of: id).map(\.text).filter { $0.hasPrefix("connection 1 to") }
    #expect(lines.count == 2)
    #expect(lines.first?.contains("bytes 0-, 206, 1048576 bytes in") == true)
    #expect(lines.first?.contains(Failure(.connectionLost).short) == true)
    #expect(lines.last?.contains("bytes 1048576-3145727, 206, 2097152 bytes in") == true)
    #expect(lines.last?.hasSuffix(": complete") == true)
    #expect(!bench.engine.log(of: id).contains { $0.text.contains("s3cret") })
  }

  @Test func aLogWithMoreThanThePlainCourseIsThereAgain() throws {
    let scratch = Scratch()
    var told: [LogLine] = []
    do {
      let bench = try Bench(in: scratch)
      bench.web.answer { _ in [.head(404, [])] }
      let id = bench.fetch("/file")
      #expect(bench.waitFailed(id)?.kind == .notFound)
      told = bench.engine.log(of: id)
      bench.shutDown()
    }
    let bench = try Bench(in: scratch)
    #expect(bench.engine.log(of: TransferID(1)) == told)
    #expect(told.contains { $0.text.hasPrefix("connection 1 to one.test, bytes 0-, 404") })
  }

  @Test func aPlainCourseIsNotKept() throws {
    let scratch = Scratch()
    do {
      let bench = try Bench(in: scratch)
      bench.web.answer { Served(content).whole($0) }
      #expect(bench.waitFinished(bench.fetch("/file")))
      bench.shutDown()
    }
    #expect(try Session.open(directory: scratch.state).logs().isEmpty)
  }
}
