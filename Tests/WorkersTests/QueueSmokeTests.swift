import Testing
import Workers

@Suite struct QueueSmokeTests {
  @Test func manyTinyOperationsAreCheap() {
    let queue = BlockingOperationQueue(name: "tiny", limit: 16)
    let counter = Monitor(0)
    let time = ContinuousClock().measure {
      for _ in 0..<10_000 {
        try? queue.add(
          BlockingOperation(name: "t") { _ in
            counter.withLock { $0 += 1 }
            return .succeeded
          }
        )
      }
      queue.drain()
    }
    queue.shutdown()
    print("10000 ops", time)
    #expect(counter.withLock { $0 } == 10_000)
  }
  @Test @MainActor func renderQueueDelivers() async {
    let got = await withCheckedContinuation { c in
      let r = RenderQueue<Int> { keys in c.resume(returning: keys) }
      r.post(1)
      r.post(2)
      r.post(1)
    }
    #expect(got == [1, 2])
  }
}
