// SPDX-License-Identifier: Apache-2.0
//
// firstToSucceed and firstToFail: every order in which three attempts can end in every way,
// losers woken, late results dropped, the caller's own cancel.

import Testing

@testable import Workers

/// How one attempt is to end in a test.
enum Fate: CaseIterable, Sendable { case succeed, fail, giveUp }

/// Attempts that end when told to, each with its fate; all wake up when they are cancelled.
struct Field: Sendable {
  let gates: [Gate]
  let woken = Recorder<Int>()
  let fates: [Fate]

  init(_ fates: [Fate]) {
    self.fates = fates
    gates = fates.map { _ in Gate() }
  }

  var attempts: [Attempt<Int>.Body] {
    fates.indices.map { number in
      { flag in
        let hook = flag.onCancel {
          woken.record(number)
          gates[number].open()
        }
        gates[number].wait()
        hook.remove()
        if flag.isCancelled { return .cancelled }
        switch fates[number] {
        case .succeed: return .succeeded(number)
        case .fail: return .failed(Fault(number))
        case .giveUp: return .cancelled
        }
      }
    }
  }
}

private let allFates: [[Fate]] = Fate.allCases.flatMap { first in
  Fate.allCases.flatMap { second in Fate.allCases.map { [first, second, $0] } }
}

private let allOrders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]

@Suite(.timeLimit(.minutes(2)))
struct FirstToSucceedTests {
  @Test(arguments: allFates)
  func theFirstSuccessWinsInEveryOrder(fates: [Fate]) throws {
    for order in allOrders {
      let field = Field(fates)
      let outcome = try raced(field, in: order, decidedBy: [.succeed]) {
        firstToSucceed(field.attempts, on: $0).text
      }
      if let winner = order.first(where: { fates[$0] == .succeed }) {
        #expect(outcome == "succeeded \(winner) \(winner)", "\(fates) \(order)")
      } else {
        let reasons = fates.indices.map {
          fates[$0] == .fail ? "\($0)" : "AttemptCancelled()"
        }
        #expect(outcome == "allFailed \(reasons)", "\(fates) \(order)")
      }
    }
  }

  @Test func losersAreWokenAndJoinedBeforeTheRaceReturns() {
    let (started, ended) = (Gate(), Recorder<Int>())
    let attempts: [Attempt<Int>.Body] = [
      { flag in
        let woken = Gate()
        started.open()
        flag.withHook({ woken.open() }, during: { _ = woken.wait() })
        ended.record(0)
        return .succeeded(0)
      },
      { _ in started.wait() ? .succeeded(1) : .failed(Fault()) },
    ]
    #expect(firstToSucceed(attempts).text == "succeeded 1 1")
    #expect(ended.all == [0])
  }

  @Test func withAQueueALoserDoesNotHoldTheCallerUpAndItsLateResultIsDropped() {
    withQueue(limit: 2) { queue in
      let (started, late, ended) = (Gate(), Gate(), Recorder<Int>())
      let attempts: [Attempt<Int>.Body] = [
        { _ in
          started.open()
          late.wait()
          ended.record(0)
          return .succeeded(0)
        },
        { _ in started.wait() ? .succeeded(1) : .failed(Fault()) },
      ]
      #expect(firstToSucceed(attempts, on: queue).text == "succeeded 1 1")
      #expect(ended.all.isEmpty)
      late.open()
      queue.drain()
      #expect(ended.all == [0])
    }
  }

  @Test func theCallersFlagWakesEveryAttempt() throws {
    let (field, flag) = (Field([.succeed, .fail, .succeed]), CancellationFlag())
    let canceller = try WorkerThread.start(name: "canceller") { flag.cancel() }
    #expect(firstToSucceed(field.attempts, cancelledBy: flag).text == "cancelled")
    canceller.join()
    #expect(firstToSucceed(field.attempts, cancelledBy: flag).text == "cancelled")
  }

  @Test func nothingToTryIsNoSuccess() {
    #expect(firstToSucceed([] as [Attempt<Int>.Body]).text == "allFailed []")
  }

  @Test func aClosedQueueFailsEveryAttempt() {
    let queue = BlockingOperationQueue(name: "closed", limit: 1)
    queue.shutdown()
    let attempts: [Attempt<Int>.Body] = [{ _ in .succeeded(1) }]
    #expect(firstToSucceed(attempts, on: queue).text == #"allFailed ["closed"]"#)
  }

  @Test func aQueueThatCancelsAllEndsTheRace() throws {
    try withQueue(limit: 0) { queue in
      let thread = try WorkerThread.start(name: "canceller") {
        _ = eventually { queue.count == 2 }
        queue.cancelAll()
      }
      let attempts: [Attempt<Int>.Body] = [{ _ in .succeeded(1) }, { _ in .succeeded(2) }]
      let outcome = firstToSucceed(attempts, on: queue)
      thread.join()
      #expect(outcome.text == #"allFailed ["AttemptCancelled()", "AttemptCancelled()"]"#)
    }
  }
}

@Suite(.timeLimit(.minutes(2)))
struct FirstToFailTests {
  @Test(arguments: allFates)
  func theFirstFailureDecidesInEveryOrder(fates: [Fate]) throws {
    for order in allOrders {
      let field = Field(fates)
      let outcome = try raced(field, in: order, decidedBy: [.fail, .giveUp]) {
        firstToFail(field.attempts, on: $0).text
      }
      if let loser = order.first(where: { fates[$0] != .succeed }) {
        let reason = fates[loser] == .fail ? "\(loser)" : "AttemptCancelled()"
        #expect(outcome == "failed \(loser) \(reason)", "\(fates) \(order)")
      } else {
        #expect(outcome == "allSucceeded [0, 1, 2]", "\(fates) \(order)")
      }
    }
  }

  @Test func theOthersAreWokenWhenOneFails() {
    let field = Field([.succeed, .succeed, .fail])
    field.gates[2].open()
    #expect(firstToFail(field.attempts).text == "failed 2 2")
    #expect(Set(field.woken.all).isSubset(of: [0, 1]))
  }

  @Test func theCallersFlagEndsIt() throws {
    let (field, flag) = (Field([.succeed, .succeed]), CancellationFlag())
    let canceller = try WorkerThread.start(name: "canceller") { flag.cancel() }
    #expect(firstToFail(field.attempts, cancelledBy: flag).text == "cancelled")
    canceller.join()
  }

  @Test func nothingToTryIsNoFailure() {
    #expect(firstToFail([] as [Attempt<Int>.Body]).text == "allSucceeded []")
  }
}

/// Runs a race whose attempts are let go in the given order, each once the one before has ended.
private func raced(
  _ field: Field,
  in order: [Int],
  decidedBy decisive: [Fate],
  _ race: @escaping @Sendable (BlockingOperationQueue) -> String
) throws -> String {
  try withQueue(limit: 3) { queue in
    let outcome = Recorder<String>()
    let racer = try WorkerThread.start(name: "racer") { outcome.record(race(queue)) }
    #expect(eventually { queue.count == 3 })
    for (position, number) in order.enumerated() {
      field.gates[number].open()
      if decisive.contains(field.fates[number]) { break }
      #expect(eventually { queue.count == 2 - position })
    }
    racer.join()
    return outcome.all.first ?? "nothing"
  }
}

extension RaceOutcome {
  var text: String {
    switch self {
    case .succeeded(let attempt, let result): "succeeded \(attempt) \(result)"
    case .allFailed(let errors): "allFailed \(errors.map { number(of: $0) })"
    case .cancelled: "cancelled"
    }
  }
}

extension TrialOutcome {
  var text: String {
    switch self {
    case .allSucceeded(let results): "allSucceeded \(results)"
    case .failed(let attempt, let error): "failed \(attempt) \(number(of: error))"
    case .cancelled: "cancelled"
    }
  }
}
