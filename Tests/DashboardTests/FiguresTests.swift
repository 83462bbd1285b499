// SPDX-License-Identifier: Apache-2.0
//
// Every number as the screen shows it, and texts broken into lines.

import Frames
import Testing
import Transfers

@testable import Dashboard

@Suite struct FiguresTests {
  @Test(arguments: [
    (0, "0 B"), (1, "1 B"), (999, "999 B"), (1000, "0.97 KiB"), (1024, "1.00 KiB"),
    (10_239, "9.99 KiB"), (10_240, "10.0 KiB"), (102_399, "99.9 KiB"), (102_400, "100 KiB"),
    (1_022_976, "999 KiB"), (1_023_999, "999 KiB"), (1_024_000, "0.97 MiB"),
    (8_608_809, "8.21 MiB"), (851_443_712, "812 MiB"), (1_300_234_240, "1.21 GiB"),
    (68_719_476_736, "64.0 GiB"), (Int64.max, "8191 PiB"),
  ])
  func `sizes have three digits and at most eight cells`(bytes: Int64, shown: String) {
    #expect(Figures.size(ByteCount(bytes)) == shown)
    #expect(shown.utf8.count <= 8)
  }

  @Test(arguments: [
    (0, "0 B/s", "0B/s", "0B/s"), (999, "999 B/s", "999B/s", "999B/s"),
    (1000, "0.97 KiB/s", "0.9K/s", "0.97K/s"), (8_608_809, "8.21 MiB/s", "8.2M/s", "8.21M/s"),
    (11_953_766, "11.3 MiB/s", "11M/s", "11.3M/s"), (851_443_712, "812 MiB/s", "812M/s", "812M/s"),
  ])
  func `rates fit their columns`(bytes: Int64, wide: String, narrow: String, three: String) {
    let rate = ByteRate(bytes)
    #expect(Figures.rate(rate) == wide)
    #expect(Figures.narrowRate(rate) == narrow)
    #expect(Figures.narrowRate(rate, digits: 3) == three)
    #expect(wide.utf8.count <= 10 && narrow.utf8.count <= 6)
  }

  @Test(arguments: [
    (0, "0:00", "0:00", "0 s"), (38, "0:38", "0:38", "38 s"), (99, "1:39", "1:39", "99 s"),
    (100, "1:40", "1:40", "1:40"), (3599, "59:59", "59:59", "59:59"),
    (3600, "1:00:00", "1h00m", "1:00:00"), (86_399, "23:59:59", "23h59m", "23:59:59"),
    (86_400, "1d 00h", "1d00h", "1d 00h"), (99 * 86_400 - 1, "98d 23h", "98d23h", "98d 23h"),
    (-5, "0:00", "0:00", "0 s"),
  ])
  func `times`(seconds: Int, clock: String, left: String, elapsed: String) {
    #expect(Figures.clock(.seconds(seconds)) == clock)
    #expect(Figures.timeLeft(.seconds(seconds)) == left)
    #expect(Figures.elapsed(.seconds(seconds)) == elapsed)
    #expect(left.utf8.count <= 6)
  }

  @Test func `what is not known is two dashes`() {
    #expect(Figures.timeLeft(nil) == "--")
  }

  @Test(arguments: [
    (0, 0, "0%", "0.0%"), (0, 5, "0%", "0.0%"), (999, 1000, "99%", "99.9%"),
    (1000, 1000, "100%", "100.0%"), (1001, 1000, "100%", "100.0%"), (1, 3, "33%", "33.3%"),
    (Int64.max - 1, Int64.max, "99%", "99.9%"),
  ])
  func `percents are rounded down`(part: Int64, whole: Int64, shown: String, exact: String) {
    #expect(Figures.percent(ByteCount(part), of: ByteCount(whole)) == shown)
    #expect(Figures.exactPercent(ByteCount(part), of: ByteCount(whole)) == exact)
  }

  @Test(arguments: [
    (6_367_288_197, 80_745_385_164, "5.92 of 75.1 GiB"),
    (344_981_504, 1_300_234_240, "329 MiB of 1.21 GiB"), (0, 1024, "0 B of 1.00 KiB"),
  ])
  func `a part names the unit once if it can`(part: Int64, whole: Int64, shown: String) {
    #expect(Figures.part(ByteCount(part), of: ByteCount(whole)) == shown)
  }

  @Test(arguments: [
    (1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"),
    (21, "21st"), (111, "111th"), (1002, "1002nd"),
  ])
  func `ordinals`(number: Int, shown: String) {
    #expect(Figures.ordinal(number) == shown)
  }

  @Test(arguments: [
    (0, 0, "1970-1-1 0:0:0"), (86_400, 3600, "1970-1-2 1:0:0"), (-1, 0, "1969-12-31 23:59:59"),
    (951_782_400, 0, "2000-2-29 0:0:0"), (1_709_251_199, 0, "2024-2-29 23:59:59"),
    (4_107_542_400, -3600, "2100-2-28 23:0:0"), (1_796_029_497, 0, "2026-11-30 9:4:57"),
  ])
  func `local times`(seconds: Int64, offset: Int, shown: String) {
    let time = LocalTime(WallTime(seconds: seconds), offset: offset)
    let text =
      "\(time.year)-\(time.month)-\(time.day) \(time.hour):\(time.minute):\(time.second)"
    #expect(text == shown)
  }

  @Test(arguments: [
    ("", 5, [""]), ("abc", 5, ["abc"]), ("abcdefgh", 3, ["abc", "def", "gh"]),
    ("one two three", 8, ["one two", "three"]), ("日本語", 5, ["日本", "語"]),
    ("日本語", 2, ["日", "本", "語"]), ("ae\u{301}io", 2, ["ae\u{301}", "io"]), ("abc", 1, ["abc"]),
  ])
  func `long texts are broken into lines`(text: String, columns: Int, lines: [String]) {
    #expect(Wrapped.lines(text, columns: columns) == lines)
  }
}
