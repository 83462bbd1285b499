// SPDX-License-Identifier: Apache-2.0
//
// Timetable: the grammar, and the rate at any minute of the week.

import Testing
import Transfers

/// A time in the week that began on Monday, 5 January 1970.
private func at(_ day: Weekday, _ hour: Int, _ minute: Int = 0) -> LocalTime {
  let days = Int64(4 + day.rawValue)
  return LocalTime(WallTime(seconds: days * 86_400 + Int64(hour * 3600 + minute * 60)))
}

@Suite struct TimetableTests {
  private func rate(_ text: String, _ time: LocalTime) throws -> Int64? {
    try Timetable(parsing: text).rate(at: time)?.bytesPerSecond
  }

  @Test func theDaysOfTheWeekAreThoseOfTheCalendar() {
    #expect(LocalTime(WallTime(seconds: 0)).weekday == .thursday)
    #expect(LocalTime(WallTime(seconds: -1)).weekday == .wednesday)
    #expect(LocalTime(WallTime(seconds: 1_700_000_000)).weekday == .tuesday)
    for day in Weekday.allCases { #expect(at(day, 12).weekday == day) }
  }

  @Test func aRateAloneHoldsAlways() throws {
    for text in ["512K", " 512K ", "512 KiB/s", "0.5M"] {
      let table = try Timetable(parsing: text)
      #expect(table.isConstant && table.rate(at: at(.sunday, 3)) == 524_288)
      #expect(table.minutesToChange(after: at(.sunday, 3)) == nil)
    }
    #expect(try Timetable(parsing: "off").rate(at: at(.monday, 0)) == nil)
    #expect(Timetable(1000).rate(at: at(.monday, 0)) == 1000)
  }

  @Test(
    arguments: [
      (0, 0, nil), (7, 59, nil), (8, 0, 524_288), (11, 59, 524_288), (12, 0, 10_485_760),
      (13, 0, 524_288), (18, 0, 31_457_280), (22, 59, 31_457_280), (23, 0, nil),
    ] as [(Int, Int, Int64?)]
  )
  func entriesHoldUntilTheNextOnEveryDay(hour: Int, minute: Int, expected: Int64?) throws {
    let text = "08:00,512K 12:00,10M 13:00,512K 18:00,30M 23:00,off"
    for day in Weekday.allCases { #expect(try rate(text, at(day, hour, minute)) == expected) }
  }

  @Test func aDaysEntryHoldsOverTheDaysThatFollow() throws {
    let text = "Mon-00:00,512K;Fri-23:59,10M;sunday-20:00,off"
    #expect(try rate(text, at(.monday, 0)) == 524_288)
    #expect(try rate(text, at(.friday, 23, 58)) == 524_288)
    #expect(try rate(text, at(.friday, 23, 59)) == 10_485_760)
    #expect(try rate(text, at(.sunday, 19, 59)) == 10_485_760)
    #expect(try rate(text, at(.sunday, 20)) == nil)
    let late = "Wed-12:00,1K Thu-12:00,2K"
    #expect(try rate(late, at(.monday, 0)) == 2048)
    #expect(try rate(late, at(.wednesday, 12)) == 1024)
  }

  @Test func rangesOfDaysMayPassTheEndOfTheWeek() throws {
    let text = "Mon-Fri-08:00,1K 18:00,off Sat-Mon-02:00,3K"
    #expect(try rate(text, at(.wednesday, 9)) == 1024)
    #expect(try rate(text, at(.saturday, 9)) == 3072)
    #expect(try rate(text, at(.monday, 1)) == nil)
    #expect(try rate(text, at(.monday, 2)) == 3072)
    #expect(try rate(text, at(.monday, 8)) == 1024)
    #expect(try rate(text, at(.tuesday, 2)) == nil)
  }

  @Test func ofTwoEntriesForOneMinuteTheLaterWins() throws {
    #expect(try rate("08:00,1K Tue-08:00,2K", at(.tuesday, 8)) == 2048)
    #expect(try rate("Tue-08:00,2K 08:00,1K", at(.tuesday, 8)) == 1024)
  }

  @Test func theNextChangeIsKnown() throws {
    let table = try Timetable(parsing: "08:00,1K 12:00,1K 18:00,off")
    #expect(table.minutesToChange(after: at(.monday, 9)) == 9 * 60)
    #expect(table.minutesToChange(after: at(.sunday, 18)) == 14 * 60)
    #expect(
      try Timetable(parsing: "08:00,1K Mon-09:00,1K").minutesToChange(after: at(.monday, 1)) == nil
    )
  }

  @Test func itIsLookedAtAgainWhenTheRateChangesAndEveryHour() throws {
    let table = try Timetable(parsing: "08:00,1K 18:30,off")
    func seconds(_ hour: Int64, _ minute: Int64, _ second: Int64) -> Int64? {
      let time = WallTime(seconds: 4 * 86_400 + hour * 3600 + minute * 60 + second)
      return table.secondsToLook(after: time) { LocalTime($0) }
    }
    #expect(seconds(7, 59, 59) == 1)
    #expect(seconds(8, 0, 0) == 3600)
    #expect(seconds(18, 10, 20) == 1180)
    #expect(seconds(20, 59, 30) == 30)
    let same = try Timetable(parsing: "1M")
    #expect(same.secondsToLook(after: WallTime(seconds: 0)) { LocalTime($0) } == nil)
  }

  @Test func theTextOfARateReadsBackExactly() {
    for rate: Int64 in [1, 999, 1000, 1024, 1_000_000, 1_048_576, 3_000_001, 512_000, .max] {
      #expect(ByteRate(parsing: ByteRate(rate).text) == ByteRate(rate))
    }
    #expect(ByteRate(524_288).text == "512K" && ByteRate(2_000_000).text == "2MB")
  }

  @Test func itsTextReadsBack() throws {
    for text in ["512K", "Mon-08:00,512K 9:30,off", "Mon-08:00,1M;;  Tue-08:00,2M"] {
      let table = try Timetable(parsing: text)
      #expect(try Timetable(parsing: table.text) == table)
    }
    #expect(try Timetable(parsing: Timetable(1234).text) == Timetable(1234))
  }

  @Test(
    arguments: [
      ("", .empty), (" ; ", .empty), ("fast", .notARate("fast")), ("0", .notARate("0")),
      ("08:00,", .notARate("08:00,")), ("08:00,1X", .notARate("08:00,1X")),
      ("08:00,1M:2M", .notARate("08:00,1M:2M")), ("24:00,1M", .notATime("24:00,1M")),
      ("08:60,1M", .notATime("08:60,1M")), ("0800,1M", .notATime("0800,1M")),
      ("-08:00,1M", .notAWeekday("-08:00,1M")), ("Mun-08:00,1M", .notAWeekday("Mun-08:00,1M")),
      ("Mon-Tue-Wed-08:00,1M", .notAWeekday("Mon-Tue-Wed-08:00,1M")),
      ("08:00,1M 2M", .notAnEntry("2M")), ("08:00,1,2", .notAnEntry("08:00,1,2")),
      ("08:+1,1M", .notATime("08:+1,1M")), ("Mon-,1M", .notATime("Mon-,1M")),
    ] as [(String, TimetableError)]
  )
  func whatIsNotATimetableIsRefused(text: String, error: TimetableError) {
    #expect(throws: error) { try Timetable(parsing: text) }
    #expect(!error.remedy.isEmpty)
  }
}
