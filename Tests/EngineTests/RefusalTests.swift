// SPDX-License-Identifier: Apache-2.0
//
// Servers that take fewer connections than are wanted, and lines that break: who asks again, and how
// often.

import Connections
import Testing
import Transfers

@testable import Engine

private func at(_ seconds: Double) -> Moment {
  Moment(nanoseconds: 0) + .seconds(seconds)
}

@Suite struct RefusalTests {
  @Test(arguments: [FailureKind.serverBusy, .cannotConnect, .refused, .connectionLost])
  func aRefusedExtraConnectionMeansFewerConnections(kind: FailureKind) {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    core.take(0, 100, at: at(0.1))
    let aftermath = core.fail(3, jobs[3], kind, at: at(0.2))
    #expect(aftermath?.events == [])
    #expect(aftermath?.note != nil)
    #expect(core.allowed == 3)
    #expect(core.ending == nil)
    if case .leave = core.step(3, at: at(0.2)) {} else { Issue.record("it asks again") }
  }

  @Test func whenAllThatAskAtOnceAreRefusedEachIsOneLess() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    core.live[0]?.isReceiving = false
    for number in 1...3 {
      #expect(core.fail(number, jobs[number], .serverBusy, at: at(1))?.working == nil)
      #expect(core.allowed == 4 - number)
    }
    #expect(toldWaits(core.fail(0, jobs[0], .serverBusy, at: at(1))).map(\.until) == [at(2)])
    #expect(core.allowed == 1)
  }

  @Test func afterAnOutageOneKnocksAndThenAllComeBack() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    for number in 0...3 { core.take(number, 100, at: at(1)) }
    for number in 0...3 { _ = core.fail(number, jobs[number], at: at(1)) }
    core.workers = 1
    let knock = core.begin(0, at: at(2))
    #expect(core.begin(1, at: at(2)) == nil && core.room(at: at(2)).isEmpty)
    if let knock { _ = core.admit(goodAnswer, knock, 0, found: nil) }
    #expect(core.room(at: at(3)).count == 3)
    #expect(core.begin(1, at: at(3)) != nil)
  }

  @Test func foreignAnswersBesideGoodOnesMeanFewerConnections() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    let failure = Failure(.wrongRange)
    if let job = jobs[2] {
      let aftermath = core.settle(2, job, .refused(.foreign(failure)), at: at(0), jitter: 0)
      #expect(aftermath.events.isEmpty)
    }
    #expect(core.allowed == 3 && core.generation == 0)
  }

  @Test func manyConnectionsThatBreakTogetherCountOnce() {
    var core = playedCore(connections: .fixed(8))
    var now = at(0)
    var jobs = core.open(at: now)
    for number in 0...7 { core.take(number, 100, at: now) }
    for round in 0..<3 {
      now = now + .seconds(1)
      for number in jobs.keys.sorted() { _ = core.fail(number, jobs[number], at: now) }
      #expect(core.ending == nil, "gave up in round \(round)")
      now = core.notBefore
      jobs = [:]
      for number in 0...7 { jobs[number] = core.begin(number, at: now) }
    }
    #expect(core.sources[0].tries <= 3)
  }

  @Test func answersWithoutBytesAreNotAskedForAgainAndAgain() {
    var core = playedCore()
    let jobs = core.open(at: at(0))
    core.take(0, 100, at: at(0))
    if let job = jobs[3] { _ = core.settle(3, job, .ended, at: at(0), jitter: 0) }
    #expect(core.allowed == 3)
  }
}
