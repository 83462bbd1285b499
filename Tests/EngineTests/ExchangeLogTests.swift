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

  @Test func aShortPlainCourseIsNotKept() throws {
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

/// What of a log is in the session while its transfer runs, as after a kill at this moment.
@Suite struct RunningLogTests {
  /// Waits until the session knows a line that begins so.
  private func keeps(_ bench: Bench, _ id: TransferID, _ start: String) -> Bool {
    for _ in 0..<TransferEngine.beatsBetweenMarks { bench.engine.tick() }
    return bench.wait("'\(start)' is in the session") {
      let lines = (try? bench.onDisk())?.logs[id] ?? []
      return lines.contains { $0.text.hasPrefix(start) }
    }
  }

  @Test func troubleIsKeptWhileTheTransferGoesOn() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      let served = Served(content)
      return asked.turn == 1
        ? served.cut(asked, after: 1024 * 1024) : served.held(asked, after: 65_536, at: "here")
    }
    let id = bench.fetch("/file")
    bench.pass(try #require(bench.waitForRetry(id)))
    #expect(bench.web.reaches("here"))
    #expect(keeps(bench, id, "connection 1 to one.test, bytes 0-, 206, 1048576 bytes in"))
    #expect(keeps(bench, id, "try "))
    bench.web.open("here")
    #expect(bench.waitFinished(id))
    bench.shutDown()
    #expect(try bench.onDisk().logs[id] == bench.engine.log(of: id))
  }

  @Test func whatNeverAnsweredIsKeptToo() throws {
    let bench = try Bench()
    bench.web.answer { _ in [.head(503, [])] }
    let id = bench.fetch("/file")
    _ = try #require(bench.waitForRetry(id))
    #expect(keeps(bench, id, "try "))
  }

  @Test func aPlainCourseIsKeptOnceItHasLastedForASecond() throws {
    let scratch = Scratch()
    let id: TransferID
    do {
      let bench = try Bench(in: scratch)
      bench.web.answer { Served(content).held($0, after: 65_536, at: "here") }
      id = bench.fetch("/file")
      #expect(bench.web.reaches("here"))
      bench.clock.advance(.seconds(1))
      #expect(keeps(bench, id, "answered: 3145728 bytes"))
      bench.web.open("here")
      #expect(bench.waitFinished(id))
      bench.shutDown()
    }
    let bench = try Bench(in: scratch)
    #expect(bench.engine.log(of: id).map(\.text).last?.hasPrefix("finished") == true)
  }

  @Test func whatIsKnownIsNotWrittenAgain() {
    var log = TransferLog()
    let line = LogEntry(at: WallTime(seconds: 1), matter: .note("something"))
    #expect(log.news == nil)
    for _ in 0..<60 { log.note(line) }
    #expect(log.news?.entries.count == 50 && log.news?.count == 60)
    log.stored(60)
    #expect(log.news == nil)
    log.note(line)
    #expect(log.news?.count == 61)
  }
}
