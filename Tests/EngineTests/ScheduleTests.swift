// SPDX-License-Identifier: Apache-2.0
//
// Transfers that wait for their time, their hours or another day's bytes, by the hand clock.

import FaultServer
import Testing
import Transfers
import Workers

@testable import Engine

private let content = Content(key: "scheduled", size: 300_000)
/// Tuesday, 14 November 2023, 22:13:20 UTC.
private let evening: Int64 = 1_700_000_000
private let midnight = evening + 6400

@Suite struct ScheduleTests {
  private let clock = TestClock(wall: evening)

  private func makeBench(
    quota: ByteCount? = nil,
    jobs: Int = 4,
    in scratch: Scratch = Scratch(),
    script: @escaping Web.Script = { Served(content).whole($0) }
  ) throws -> Bench {
    let web = Web(chunk: 10_000)
    web.answer(script)
    return try Bench(web, in: scratch, clock: clock, jobs: jobs, quota: quota)
  }

  private func hold(_ bench: Bench, _ id: TransferID) -> Hold? { bench.state(id)?.hold }

  @Test func itWaitsForItsTimeAndGoesOnByItself() throws {
    let bench = try makeBench()
    let start = WallTime(seconds: evening + 500)
    let id = bench.fetch("/f") { $0.schedule.start = start }
    #expect(hold(bench, id) == Hold(.start, until: start))
    clock.reach(wall: evening + 499)
    bench.engine.tick()
    #expect(hold(bench, id) != nil && bench.web.asked.isEmpty)
    clock.reach(wall: evening + 500)
    bench.engine.tick()
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
  }

  @Test func itStopsWhenItsHoursEndAndGoesOnWithTheNext() throws {
    let bench = try makeBench { asked in
      asked.turn == 1
        ? Served(content).held(asked, after: 100_000, at: "middle") : Served(content).whole(asked)
    }
    let id = bench.fetch("/f") { $0.schedule.hours = DailyHours(parsing: "22:00-23:00") }
    #expect(bench.web.reaches("middle"))
    bench.engine.tick()
    #expect(bench.isRunning(id))
    clock.reach(wall: evening + 3600)
    bench.engine.tick()
    #expect(bench.waits(id, for: "its hours are over") { $0.waitsForTime })
    #expect(hold(bench, id) == Hold(.hours, until: WallTime(seconds: midnight + 22 * 3600)))
    clock.reach(wall: midnight + 22 * 3600)
    bench.engine.tick()
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
    #expect(bench.web.asked.map(\.start) == [0, 100_000])
  }

  @Test func theUserLetsItGoOnNow() throws {
    let bench = try makeBench { Served(content).held($0, after: 100_000, at: "middle") }
    let id = bench.fetch("/f") { $0.schedule.hours = DailyHours(parsing: "01:00-02:00") }
    #expect(hold(bench, id)?.reason == .hours)
    bench.engine.resume([id])
    #expect(bench.web.reaches("middle"))
    bench.engine.tick()
    #expect(bench.isRunning(id))
    bench.web.open("middle")
    #expect(bench.waitFinished(id))
  }

  @Test func aPauseByTheUserOutlastsTheWait() throws {
    let bench = try makeBench()
    let id = bench.fetch("/f") { $0.schedule.start = WallTime(seconds: evening + 10) }
    bench.engine.pause([id])
    clock.reach(wall: evening + 20)
    bench.engine.tick()
    #expect(bench.state(id) == .paused(.byUser))
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
  }

  @Test func whatIsPausedAndResumedWaitsForItsTimeAgain() throws {
    let bench = try makeBench()
    let id = bench.fetch("/f") { $0.schedule.start = WallTime(seconds: evening + 10) }
    bench.engine.pause([id])
    bench.engine.resume([id])
    #expect(hold(bench, id)?.reason == .start)
  }

  @Test func whatIsInLineWaitsWhenItsHoursEndMeanwhile() throws {
    let bench = try makeBench(jobs: 1) { Served(content).held($0, after: 100_000, at: "middle") }
    let first = bench.fetch("/1")
    #expect(bench.web.reaches("middle"))
    let second = bench.fetch("/2") { $0.schedule.hours = DailyHours(parsing: "22:00-23:00") }
    #expect(bench.state(second) == .queued)
    clock.reach(wall: evening + 3600)
    bench.web.open("middle")
    #expect(bench.waitFinished(first))
    #expect(bench.waits(second, for: "it waits") { $0.waitsForTime })
  }

  @Test func aWaitSurvivesTheEndOfTheProgram() throws {
    let scratch = Scratch()
    let start = WallTime(seconds: evening + 500)
    let id = try {
      let bench = try makeBench(in: scratch)
      defer { bench.shutDown() }
      return bench.fetch("/f") { $0.schedule.start = start }
    }()
    let bench = try makeBench(in: scratch)
    #expect(bench.engine.transfer(id)?.request.schedule.start == start)
    bench.engine.start([id])
    #expect(hold(bench, id) == Hold(.start, until: start))
    clock.reach(wall: evening + 500)
    bench.engine.tick()
    #expect(bench.waitFinished(id))
  }

  @Test func theQuotaIsKeptToTheByteAndGoesOnNextDay() throws {
    let bench = try makeBench(quota: 123_456)
    let id = bench.fetch("/f")
    let isUsedUp = bench.wait("the quota is used up") {
      bench.engine.tick()
      return hold(bench, id) != nil && !bench.isRunning(id)
    }
    #expect(isUsedUp)
    #expect(hold(bench, id) == Hold(.quota, until: WallTime(seconds: midnight)))
    #expect(bench.engine.transfer(id)?.received == 123_456)
    let other = bench.fetch("/g")
    #expect(hold(bench, other)?.reason == .quota)
    clock.reach(wall: midnight)
    bench.engine.remove([other], deleteFiles: false)
    bench.engine.tick()
    let isUsedUpAgain = bench.wait("another day's quota is used up") {
      bench.engine.tick()
      return bench.engine.transfer(id)?.received == 246_912 && hold(bench, id) != nil
    }
    #expect(isUsedUpAgain)
    clock.reach(wall: midnight + 86_400)
    bench.engine.tick()
    #expect(bench.waitFinished(id))
    #expect(bench.holds("f", content))
  }

  @Test func theBytesOfTheDayAreRemembered() throws {
    let scratch = Scratch()
    let first = try makeBench(in: scratch)
    #expect(first.waitFinished(first.fetch("/f")))
    first.shutDown()
    let bench = try makeBench(quota: 300_001, in: scratch)
    let day = LocalTime(WallTime(seconds: evening)).dayNumber
    #expect(bench.engine.meter.look(day) == DayUsage(day: day, received: 300_000))
    let id = bench.fetch("/g")
    let isUsedUp = bench.wait("one byte has come") {
      bench.engine.tick()
      return hold(bench, id) != nil && !bench.isRunning(id)
    }
    #expect(isUsedUp && bench.engine.transfer(id)?.received == 1)
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
  }

  @Test func whoeverWaitsIsLookedAtSeldomAndAtTheRightTime() throws {
    let bench = try makeBench()
    #expect(bench.engine.tick() == nil)
    let id = bench.fetch("/f") { $0.schedule.start = WallTime(seconds: evening + 90) }
    #expect(bench.engine.tick() == .seconds(60))
    clock.reach(wall: evening + 60)
    #expect(bench.engine.tick() == .seconds(30))
    bench.engine.pause([id])
    #expect(bench.engine.tick() == nil)
  }

  @Test func aClockThatIsPutRightChangesTheWait() throws {
    let zone = Shift()
    let clock = TestClock(wall: evening) { LocalTime($0, offset: zone.seconds) }
    let web = Web()
    web.answer { Served(content).whole($0) }
    let bench = try Bench(web, clock: clock)
    let id = bench.fetch("/f") { $0.schedule.hours = DailyHours(parsing: "01:00-02:00") }
    #expect(hold(bench, id)?.until == WallTime(seconds: midnight + 3600))
    zone.seconds = 3600
    bench.engine.tick()
    #expect(hold(bench, id)?.until == WallTime(seconds: midnight))
    zone.seconds = 3 * 3600
    bench.engine.tick()
    #expect(bench.waitFinished(id))
  }
}

/// The offset of a time zone that changes.
private final class Shift: Sendable {
  private let value = Monitor(0)

  var seconds: Int {
    get { value.withLock { $0 } }
    set { value.withLock { $0 = newValue } }
  }
}
