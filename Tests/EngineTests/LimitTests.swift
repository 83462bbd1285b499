// SPDX-License-Identifier: Apache-2.0
//
// Limits of the engine: in force for what runs, changed meanwhile, remembered.

import Connections
import FaultServer
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "limited", size: 400_000)

@Suite struct LimitTests {
  /// A bench whose clock goes on while connections pause, with one file.
  private func limited(_ change: (TransferEngine) -> Void) throws -> (Bench, Moment) {
    let clock = TestClock()
    let web = Web(chunk: 8192) { clock.advance($0) }
    web.answer { Served(content).whole($0) }
    let bench = try Bench(web, clock: clock)
    change(bench.engine)
    return (bench, clock.now)
  }

  @Test(arguments: ["http", "ftp", "sftp"])
  func theSharedLimitHoldsForATransfer(scheme: String) throws {
    let (bench, start) = try limited { $0.rateLimit = Timetable(100_000) }
    let id = bench.fetch("/f") { $0.mirrors = [link("\(scheme)://one.test/f")] }
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(abs((bench.clock.now - start).inSeconds - 4) < 0.15)
  }

  @Test func aTransfersOwnLimitHolds() throws {
    let (bench, start) = try limited { $0.rateLimit = Timetable(50_000_000) }
    #expect(bench.waitFinished(bench.fetch("/f") { $0.rateLimit = 50_000 }))
    #expect(bench.holds("f", content))
    #expect(abs((bench.clock.now - start).inSeconds - 8) < 0.15)
  }

  @Test func underASlowLimitAServerIsNotFarAheadOfWhatIsRead() throws {
    for (rate, window) in [(10_000, 4096), (100_000, 25_000), (1_000_000, nil)] as [(Int64, Int64?)]
    {
      let (bench, _) = try limited { $0.rateLimit = Timetable(ByteRate(rate)) }
      #expect(bench.waitFinished(bench.fetch("/f")))
      #expect(bench.web.asked.map { $0.request.window?.bytes } == [window])
    }
  }

  @Test func whatAServerSendsAheadIsCountedBeforeAnythingIsTaken() throws {
    let (bench, start) = try limited { $0.rateLimit = Timetable(100_000) }
    bench.web.answer { Served(content).held($0, after: 8192, at: "first") }
    let id = bench.fetch("/f")
    #expect(bench.web.reaches("first"))
    // Half of a window of 25 000 bytes is counted, and a tenth of a second was saved up.
    #expect((bench.clock.now - start).inSeconds >= 0.1)
    bench.web.open("first")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(abs((bench.clock.now - start).inSeconds - 4) < 0.12)
  }

  @Test func underASlowLimitEachOfSeveralConnectionsHasItsPartOfTheWindow() throws {
    let (bench, _) = try limited { $0.rateLimit = Timetable(100_000) }
    #expect(bench.waitFinished(bench.fetch("/f") { $0.connections = .fixed(8) }))
    #expect(bench.web.asked.first?.request.window == ByteCount(8333))
  }

  @Test func whenASlowLimitIsLiftedItsConnectionsAreReplaced() throws {
    let web = Web()
    web.answer { Served(content).held($0, after: $0.turn == 1 ? 0 : content.size, at: "start") }
    let bench = try Bench(web)
    let id = bench.fetch("/f") { $0.rateLimit = 10_000 }
    #expect(web.reaches("start"))
    bench.engine.tick()
    #expect(web.running == 1)
    bench.engine.limit([id], to: nil)
    bench.engine.tick()
    #expect(web.waitForRequests(2))
    web.open("start")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(web.asked.map { $0.request.window == nil } == [false, true])
  }

  @Test func anOverlapThatIsComparedCountsToo() throws {
    let clock = TestClock()
    let web = Web(chunk: 8192) { clock.advance($0) }
    var served = Served(content)
    served.tag = nil
    web.answer { [served] in
      $0.turn == 1 ? served.held($0, after: 200_000, at: "middle") : served.whole($0)
    }
    let bench = try Bench(web, clock: clock)
    let id = bench.fetch("/f")
    #expect(web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    bench.engine.rateLimit = Timetable(20_000)
    let start = clock.now
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(web.asked.last?.start == 200_000 - OverlapProof.length)
    #expect(abs((clock.now - start).inSeconds - 13.28) < 0.3)
  }

  @Test func theOwnLimitIsChangedWhileItRunsAndRemembered() throws {
    let web = Web()
    web.answer { Served(content).held($0, after: 200_000, at: "middle") }
    let bench = try Bench(web)
    let id = bench.fetch("/f")
    #expect(web.reaches("middle"))
    bench.engine.limit([id], to: 777_000)
    let run = bench.engine.table.withLock { $0.entries[id]?.run }
    #expect(run?.budget.rate == 777_000)
    #expect(bench.engine.transfer(id)?.request.rateLimit == 777_000)
    bench.engine.limit([id], to: nil)
    #expect(run?.budget.rate == nil)
    bench.engine.limit([id], to: 555_000)
    #expect(try bench.remembered().first?.request.rateLimit == 555_000)
  }

  @Test func theTimetableIsFollowedWhileTheyRun() throws {
    let clock = TestClock(wall: 1_700_000_000)  // Tuesday, 22:13:20 UTC
    let web = Web()
    web.answer { Served(content).held($0, after: 200_000, at: "middle") }
    let bench = try Bench(web, clock: clock)
    bench.engine.rateLimit = try Timetable(parsing: "08:00,50M 22:30,off Wed-07:00,1M")
    #expect(bench.engine.rateInForce == ByteRate(50 << 20))
    bench.fetch("/f")
    #expect(web.reaches("middle"))
    clock.reach(wall: 1_700_001_000)
    bench.engine.tick()
    #expect(bench.engine.rateInForce == nil)
    clock.reach(wall: 1_700_032_000)
    bench.engine.tick()
    #expect(bench.engine.rateInForce == ByteRate(1 << 20))
    bench.engine.rateLimit = nil
    #expect(bench.engine.rateInForce == nil)
    web.open("middle")
  }
}
