// SPDX-License-Identifier: Apache-2.0
//
// The render queue on the real main dispatch queue, which the test runner services.

import Glibc
import Testing

@testable import Workers

/// What watches things through libdispatch, one after the other: on Linux its event loop may crash
/// when a source is let go while another one has news.
@Suite(.serialized) enum DispatchTests {}

extension DispatchTests {
  @MainActor
  @Suite(.timeLimit(.minutes(2)))
  struct RenderQueueTests {
    let batches = Recorder<[Int]>()
    var queue: RenderQueue<Int> { RenderQueue { [batches] in batches.record($0) } }

    @Test func keysAreDeliveredOnceInTheOrderFirstPosted() async {
      let queue = queue
      for key in [3, 1, 3, 2, 1, 3] { queue.post(key) }
      #expect(batches.all.isEmpty)
      await turn(of: queue)
      #expect(batches.all == [[3, 1, 2]])
    }

    @Test func aKeyPostedAfterItsDeliveryIsDeliveredAgain() async {
      let queue = queue
      queue.post(1)
      await turn(of: queue)
      queue.post(1)
      queue.post(2)
      await turn(of: queue)
      #expect(batches.all == [[1], [1, 2]])
    }

    @Test func keysThatGatherAreDeliveredBeforeWorkPostedAfterThem() async {
      let order = Recorder<[Int]>()
      let queue = RenderQueue<Int>(gathering: .seconds(3600)) { order.record($0) }
      for key in [2, 1, 2] { queue.post(key) }
      queue.post { order.record([0]) }
      await turn(of: queue)
      #expect(order.all == [[2, 1], [0]])
    }

    @Test func aKeyPostedWhileDeliveringComesInTheNextBatch() async {
      let box = Monitor<RenderQueue<Int>?>(nil)
      let queue = RenderQueue<Int> { [batches] keys in
        batches.record(keys)
        if keys == [1] { box.withLock { $0 }?.post(1 + keys.count) }
      }
      box.withLock { $0 = queue }
      queue.post(1)
      await turn(of: queue)
      await turn(of: queue)
      #expect(batches.all == [[1], [2]])
      box.withLock { $0 = nil }
    }

    @Test func workRunsInTheOrderPostedAndOnTheMainThread() async {
      let (queue, order) = (queue, Recorder<Int>())
      let main = pthread_self()
      for number in 0..<20 {
        queue.post { order.record(pthread_equal(main, pthread_self()) != 0 ? number : -1) }
      }
      await turn(of: queue)
      #expect(order.all == Array(0..<20))
    }

    @Test func postsFromManyThreadsAllArriveInFewBatches() async throws {
      let queue = queue
      let threads = try (0..<4).map { side in
        try WorkerThread.start(name: "poster") {
          for number in 0..<5_000 { queue.post(side * 5 + number % 5) }
        }
      }
      for thread in threads { thread.join() }
      await turn(of: queue)
      #expect(batches.all.count == 1)
      #expect(batches.all.flatMap(\.self).sorted() == Array(0..<20))
    }

    /// Comes back once what was posted before has run.
    private func turn(of queue: RenderQueue<Int>) async {
      await withCheckedContinuation { continuation in queue.post { continuation.resume() } }
    }
  }

  @MainActor
  @Suite(.timeLimit(.minutes(2)))
  struct RenderTimerTests {
    let queue = RenderQueue<Int> { _ in }

    @Test func afterADelayItRunsOnceAndNotTooEarly() async {
      let began = ContinuousClock.now
      let runs = Recorder<Int>()
      await first { done in
        queue.afterDelay(.milliseconds(15)) {
          runs.record(1)
          done()
        }
      }
      #expect(ContinuousClock.now - began >= .milliseconds(15))
      #expect(runs.all == [1])
    }

    @Test func aRepeatingTimerTicksUntilItIsCancelled() async {
      let ticks = Recorder<Int>()
      let source = Monitor<RenderSource?>(nil)
      await withCheckedContinuation { continuation in
        let timer = queue.every(.milliseconds(2), leeway: .milliseconds(1)) {
          ticks.record(1)
          guard ticks.all.count == 3 else { return }
          source.withLock { $0 }?.cancel()
          continuation.resume()
        }
        source.withLock { $0 = timer }
      }
      await first { done in queue.afterDelay(.milliseconds(20), done) }
      #expect(ticks.all.count == 3)
    }

    @Test func aTimerThatIsLetGoOrCancelledNeverRuns() async {
      let runs = Recorder<Int>()
      _ = queue.afterDelay(.milliseconds(1)) { runs.record(1) }
      let cancelled = queue.afterDelay(.milliseconds(1)) { runs.record(2) }
      cancelled.cancel()
      cancelled.cancel()
      await first { done in queue.afterDelay(.milliseconds(20), done) }
      #expect(runs.all.isEmpty)
    }

    @Test func noDelayMeansSoon() async {
      await first { done in queue.afterDelay(.milliseconds(-1), done) }
    }
  }

  @MainActor
  @Suite(.serialized, .timeLimit(.minutes(2)))
  struct RenderSourceTests {
    let queue = RenderQueue<Int> { _ in }

    @Test func whatIsWrittenToADescriptorIsReadOnTheMainQueue() async {
      let ends = pipeEnds()
      let received = Recorder<UInt8>()
      await first { done in
        queue.onReadable(ends.read, onCancelled: { close(ends.read) }) {
          var byte: UInt8 = 0
          if read(ends.read, &byte, 1) == 1 { received.record(byte) }
          if received.all.count == 3 { done() } else { _ = write(ends.write, [byte + 1], 1) }
        }
      } started: {
        _ = write(ends.write, [7 as UInt8], 1)
      }
      #expect(received.all == [7, 8, 9])
      close(ends.write)
    }

    @Test func theEndOfADescriptorIsReadable() async {
      let ends = pipeEnds()
      let counts = Recorder<Int>()
      await first { done in
        queue.onReadable(ends.read, onCancelled: { close(ends.read) }) {
          var byte: UInt8 = 0
          counts.record(read(ends.read, &byte, 1))
          done()
        }
      } started: {
        close(ends.write)
      }
      #expect(counts.all.first == 0)
    }

    @Test func cancelTellsWhenTheDescriptorMayBeClosed() async {
      let ends = pipeEnds()
      let calls = Recorder<String>()
      await withCheckedContinuation { continuation in
        let source = queue.onReadable(ends.read, onCancelled: { continuation.resume() }) {
          calls.record("read")
        }
        _ = write(ends.write, [1 as UInt8], 1)
        source.cancel()
      }
      close(ends.read)
      close(ends.write)
      #expect(calls.all.isEmpty)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGUSR1, SIGWINCH])
    func aSignalIsToldInsteadOfItsDefault(number: Int32) async {
      for _ in 0..<50 {
        await first { done in
          queue.onSignal(number, done)
        } started: {
          kill(getpid(), number)
        }
      }
    }

    private func pipeEnds() -> (read: Int32, write: Int32) {
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      return (ends[0], ends[1])
    }
  }
}

/// Starts a source and comes back when its handler calls `done` first; holds the source till then.
@MainActor
private func first(
  _ start: (@escaping @MainActor @Sendable () -> Void) -> RenderSource,
  started: () -> Void = {}
) async {
  var source: RenderSource?
  await withCheckedContinuation { continuation in
    let isDone = Monitor(false)
    source = start {
      let isFirst = isDone.withLock { done in
        defer { done = true }
        return !done
      }
      if isFirst { continuation.resume() }
    }
    started()
  }
  source?.cancel()
}
