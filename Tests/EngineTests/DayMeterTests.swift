// SPDX-License-Identifier: Apache-2.0
//
// The bytes of a day: what is reserved, taken and given back.

import Testing
import Transfers

@testable import Engine

@Suite struct DayMeterTests {
  @Test func itIsUsedUpWhenTheLastByteWasTakenAndNotBefore() {
    let meter = DayMeter(quota: 100, used: nil)
    #expect(meter.reserve(60, isForced: false) == 60)
    meter.took(60)
    #expect(meter.reserve(60, isForced: false) == 40)
    #expect(!meter.isUsedUp)
    #expect(meter.reserve(1, isForced: false) == 0)
    meter.took(40)
    #expect(meter.isUsedUp)
  }

  @Test func whatIsGivenBackGoesToWhoeverAsksNext() {
    let meter = DayMeter(quota: 100, used: nil)
    #expect(meter.reserve(100, isForced: false) == 100)
    meter.giveBack(70)
    meter.took(30)
    #expect(meter.reserve(100, isForced: false) == 70)
  }

  @Test func whatIsForcedCountsAndIsNotHeldBack() {
    let meter = DayMeter(quota: 100, used: nil)
    #expect(meter.reserve(150, isForced: true) == 150)
    meter.took(150)
    #expect(meter.isUsedUp)
    #expect(meter.reserve(1, isForced: false) == 0)
  }

  @Test func anotherDayBeginsAtZero() {
    let meter = DayMeter(quota: 100, used: DayUsage(day: 7, received: 100))
    #expect(meter.isUsedUp)
    #expect(meter.look(8) == DayUsage(day: 8, received: 0))
    #expect(!meter.isUsedUp && meter.reserve(10, isForced: false) == 10)
  }
}
