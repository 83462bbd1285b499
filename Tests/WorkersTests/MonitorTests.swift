// SPDX-License-Identifier: Apache-2.0
//
// Monitor and worker threads: mutual exclusion, waiting, time, names, signal masks, joining.

import Glibc
import Testing

@testable import Workers

@Suite(.timeLimit(.minutes(2)))
struct MonitorTests {
  @Test func noChangeIsLostBetweenThreads() throws {
    let sum = Monitor(0)
    let threads = try (0..<4).map { _ in
      try WorkerThread.start(name: "adder") {
        for _ in 0..<5_000 { sum.withLock { $0 += 1 } }
      }
    }
    for thread in threads { thread.join() }
    #expect(sum.withLock { $0 } == 20_000)
  }

  @Test func everyWaiterWakesOnAChange() throws {
    let value = Monitor(0)
    let seen = Recorder<Int>()
    let threads = try (1...4).map { target in
      try WorkerThread.start(name: "waiter") {
        seen.record(value.wait { $0 >= target ? target : nil })
      }
    }
    #expect(eventually { value.waiterCount == 4 })
    for _ in 1...4 { value.withLock { $0 += 1 } }
    for thread in threads { thread.join() }
    #expect(seen.all.sorted() == [1, 2, 3, 4])
  }

  @Test func aLookWakesNobody() throws {
    let value = Monitor(0)
    let looks = Recorder<Int>()
    let thread = try WorkerThread.start(name: "waiter") {
      value.wait { value -> Void? in
        looks.record(value)
        return value == 1 ? () : nil
      }
    }
    #expect(eventually { value.waiterCount == 1 })
    for _ in 1...100 { #expect(value.read { $0 } == 0) }
    value.withLock { $0 = 1 }
    thread.join()
    // The system may wake a waiter for nothing, but not once for each look.
    #expect(looks.all.count < 20 && looks.all.last == 1)
  }

  @Test func aWaitThatChangesTheValueWakesTheOthers() throws {
    let tokens = Monitor(0)
    let threads = try (0..<3).map { _ in
      try WorkerThread.start(name: "taker") {
        tokens.wait { value -> Void? in
          guard value > 0 else { return nil }
          value -= 1
          return ()
        }
      }
    }
    let last = try WorkerThread.start(name: "last") { tokens.wait { $0 == -1 ? () : nil } }
    #expect(eventually { tokens.waiterCount == 4 })
    tokens.withLock { $0 = 3 }
    for thread in threads { thread.join() }
    tokens.withLock { $0 = -1 }
    last.join()
  }

  @Test(arguments: [Duration.milliseconds(-5), .zero, .microseconds(300), .milliseconds(20)])
  func aTimedWaitLastsAtLeastItsTime(duration: Duration) {
    let value = Monitor(0)
    let began = ContinuousClock.now
    let result: Int? = value.wait(for: duration) { _ in nil }
    #expect(result == nil)
    #expect(ContinuousClock.now - began >= duration)
  }

  @Test func aTimedWaitEndsWithTheChange() throws {
    let value = Monitor(0)
    let thread = try WorkerThread.start(name: "setter") {
      _ = eventually { value.waiterCount == 1 }
      value.withLock { $0 = 7 }
    }
    #expect(value.wait(for: .seconds(Int64.max)) { $0 == 7 ? $0 : nil } == 7)
    thread.join()
  }

  @Test func aTimedWaitLooksOnceWhenThereIsNoTime() {
    #expect(Monitor(3).wait(for: .zero) { $0 } == 3)
  }

  @Test func anErrorLeavesTheLockOpen() {
    let value = Monitor(1)
    #expect(throws: Fault(9)) { try value.withLock { _ throws(Fault) in throw Fault(9) } }
    #expect(value.withLock { $0 } == 1)
  }
}

@Suite(.timeLimit(.minutes(2)))
struct WorkerThreadTests {
  @Test(arguments: [
    ("short", "short"), ("exactly15bytes!", "exactly15bytes!"),
    ("a name that is too long", "a name that is "), ("ääääääää", "äääääää"),
  ])
  func theSystemShowsTheName(name: String, shown: String) throws {
    let seen = Recorder<String>()
    try WorkerThread.start(name: name) { seen.record(currentThreadName()) }.join()
    #expect(seen.all == [shown])
  }

  @Test func signalsAreBlockedOnItAndFaultsAreNot() throws {
    let seen = Recorder<Bool>()
    try WorkerThread.start(name: "mask") {
      var mask = sigset_t()
      pthread_sigmask(SIG_SETMASK, nil, &mask)
      for number in [SIGTERM, SIGINT, SIGWINCH, SIGPIPE, SIGSEGV, SIGBUS, SIGABRT] {
        seen.record(sigismember(&mask, number) == 1)
      }
    }.join()
    #expect(seen.all == [true, true, true, true, false, false, false])
  }

  @Test func theStartersOwnMaskIsRestored() throws {
    var (before, after) = (sigset_t(), sigset_t())
    pthread_sigmask(SIG_SETMASK, nil, &before)
    try WorkerThread.start(name: "mask") {}.join()
    pthread_sigmask(SIG_SETMASK, nil, &after)
    for number in 1...31 where number != SIGKILL && number != SIGSTOP {
      #expect(sigismember(&before, Int32(number)) == sigismember(&after, Int32(number)))
    }
  }

  @Test func severalMayJoin() throws {
    let gate = Gate()
    let thread = try WorkerThread.start(name: "joined") { gate.wait() }
    let joiners = try (0..<3).map { _ in
      try WorkerThread.start(name: "joiner") { thread.join() }
    }
    gate.open()
    for joiner in joiners { joiner.join() }
    thread.join()
  }

  @Test func aThreadThatCannotBeStartedIsAnError() {
    #expect(throws: ThreadError.self) {
      try WorkerThread.start(name: "huge", stackSize: 1 << 50) {}.join()
    }
  }
}

private func currentThreadName() -> String {
  let descriptor = open("/proc/thread-self/comm", O_RDONLY)
  defer { close(descriptor) }
  var bytes = [UInt8](repeating: 0, count: 32)
  let count = read(descriptor, &bytes, bytes.count)
  return String(decoding: bytes.prefix(max(count - 1, 0)), as: UTF8.self)
}
