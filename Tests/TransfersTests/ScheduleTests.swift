// SPDX-License-Identifier: Apache-2.0
//
// Schedule and StartTime: hours over midnight, days, and clocks that jump.

import Testing
import Transfers

/// Central European time in 2026: an hour more from 29 March 01:00 UTC to 25 October 01:00 UTC.
private let berlin: LocalClock = { time in
  let isSummer = (1_774_746_000..<1_792_890_000).contains(time.seconds)
  return LocalTime(time, offset: isSummer ? 7200 : 3600)
}

private let utc: LocalClock = { LocalTime($0) }

/// A time in UTC, as `YYYY-MM-DD HH:MM`.
private func at(_ text: String) -> WallTime {
  guard let time = StartTime(parsing: text) else { preconditionFailure(text) }
  return time.resolved(now: WallTime(seconds: 0), local: utc)
}

private func hours(_ text: String) throws -> DailyHours {
  try #require(DailyHours(parsing: text))
}

@Suite struct ScheduleTests {
  @Test(arguments: [
    ("22:00-06:00", "21:59", false), ("22:00-06:00", "22:00", true), ("22:00-06:00", "00:00", true),
    ("22:00-06:00", "05:59", true), ("22:00-06:00", "06:00", false), ("9:00-17:30", "08:59", false),
    ("9:00-17:30", "17:29", true), ("9:00-17:30", "17:30", false), ("00:00-00:01", "00:00", true),
    ("18:00-00:00", "23:59", true), ("18:00-00:00", "00:00", false),
  ])
  func hoursMayPassMidnight(text: String, time: String, isIn: Bool) throws {
    #expect(try hours(text).contains(utc(at("2026-01-05 " + time))) == isIn)
  }

  @Test(arguments: [
    "", "22:00", "22:00-22:00", "22:00-24:00", "22-06", "1:00-2:00-3:00", "-1:00-2:00",
  ])
  func whatAreNoHoursIsRefused(text: String) {
    #expect(DailyHours(parsing: text) == nil)
  }

  @Test func itWaitsForItsStartThenForItsHours() throws {
    let schedule = Schedule(start: at("2026-01-05 12:00"), hours: try hours("22:00-06:00"))
    let first = schedule.hold(at: at("2026-01-05 11:59"), local: utc)
    #expect(first == Hold(.start, until: at("2026-01-05 12:00")))
    let second = schedule.hold(at: at("2026-01-05 12:00"), local: utc)
    #expect(second == Hold(.hours, until: at("2026-01-05 22:00")))
    #expect(schedule.hold(at: at("2026-01-05 22:00"), local: utc) == nil)
    #expect(schedule.hold(at: at("2026-01-06 05:59"), local: utc) == nil)
    let third = schedule.hold(at: at("2026-01-06 06:00"), local: utc)
    #expect(third == Hold(.hours, until: at("2026-01-06 22:00")))
    #expect(Schedule().hold(at: at("2026-01-05 11:59"), local: utc) == nil)
  }

  @Test func theEndOfAWaitIsRightAcrossAChangeOfTheClock() throws {
    let schedule = Schedule(hours: try hours("22:00-06:00"))
    let spring = schedule.hold(at: at("2026-03-28 06:00"), local: berlin)
    #expect(spring?.until == at("2026-03-28 21:00"))
    let summer = schedule.hold(at: at("2026-03-29 04:00"), local: berlin)
    #expect(summer?.until == at("2026-03-29 20:00"))
    #expect(
      WallTime.nextDay(after: at("2026-10-24 23:00"), local: berlin) == at("2026-10-25 23:00")
    )
    #expect(
      WallTime.nextDay(after: at("2026-03-28 23:00"), local: berlin) == at("2026-03-29 22:00")
    )
  }

  @Test func aTimeThatTheClockLeavesOutWedgesNothing() throws {
    // At 02:00 the clock goes to 03:00; the hours begin as soon as the gap is over.
    let schedule = Schedule(hours: try hours("02:30-06:00"))
    var now = at("2026-03-29 00:00")
    let hold = try #require(schedule.hold(at: now, local: berlin))
    #expect(hold.until > now && hold.until.seconds - now.seconds <= 2 * 3600)
    now = at("2026-03-29 01:00")
    #expect(schedule.hold(at: now, local: berlin) == nil)
    let inGap = Schedule(hours: try hours("02:15-02:45"))
    let next = try #require(inGap.hold(at: now, local: berlin))
    #expect(next.until == at("2026-03-30 00:15"))
  }

  @Test func aTimeThatTheClockShowsTwiceWedgesNothing() throws {
    let schedule = Schedule(hours: try hours("02:30-02:40"))
    var waits: [Bool] = []
    for minute in stride(from: 0, to: 180, by: 15) {
      let now = WallTime(seconds: at("2026-10-24 23:30").seconds + Int64(minute * 60))
      let hold = schedule.hold(at: now, local: berlin)
      waits.append(hold != nil)
      if let hold { #expect(hold.until > now) }
    }
    #expect(waits.filter { !$0 }.count == 2)
  }
}

@Suite struct StartTimeTests {
  private let now = at("2026-11-30 15:00")

  @Test(arguments: [
    ("22:00", "2026-11-30 22:00"), ("15:00", "2026-12-01 15:00"), ("6:00", "2026-12-01 06:00"),
    ("today 22:00", "2026-11-30 22:00"), ("Today 01:00", "2026-11-30 01:00"),
    ("tomorrow 06:00", "2026-12-01 06:00"), ("2026-12-24 18:00", "2026-12-24 18:00"),
    ("2026-12-24T18:00", "2026-12-24 18:00"), ("2028-02-29 00:00", "2028-02-29 00:00"),
  ])
  func itIsReadInAnyForm(text: String, meant: String) throws {
    let time = try #require(StartTime(parsing: text))
    #expect(time.resolved(now: now, local: utc) == at(meant))
  }

  @Test(arguments: [
    "", "now", "25:00", "tomorrow", "yesterday 10:00", "2026-02-30 10:00", "2026-13-01 10:00",
    "26-01-01 10:00", "2026-01-01 10:00 x", "2026-01-00 10:00", "+1:00", "2026-1-1 10:00",
  ])
  func whatIsNoTimeIsRefused(text: String) {
    #expect(StartTime(parsing: text) == nil)
  }

  @Test func datesAreThoseOfTheCalendar() {
    #expect(at("1970-01-01 00:00").seconds == 0)
    #expect(at("2000-03-01 00:00").seconds == 951_868_800)
    #expect(at("2026-11-30 15:00").seconds == 1_796_050_800)
  }

  @Test func itIsMeantAsTheUsersClockShowsIt() throws {
    let time = try #require(StartTime(parsing: "2026-07-01 12:00"))
    #expect(time.resolved(now: now, local: berlin) == at("2026-07-01 10:00"))
  }
}
