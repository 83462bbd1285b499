// SPDX-License-Identifier: Apache-2.0
//
// Tests of RetryRule: how pauses grow, what a server may ask for, and when it ends.

import Testing
import Transfers

@Suite struct `Retry pauses` {
  /// Jitter one half leaves the pause as it is.
  private let even = 0.5

  @Test(arguments: [
    (1, 1), (2, 2), (3, 4), (4, 8), (5, 16), (6, 32), (7, 60), (8, 60), (30, 60), (99, 60),
  ])
  func `pauses double up to the cap`(tries: Int, seconds: Int) {
    let rule = RetryRule(limit: 100)
    #expect(rule.pause(after: tries, asked: nil, jitter: even) == .seconds(seconds))
  }

  @Test(arguments: [(0.0, 3.0), (0.25, 3.5), (0.5, 4.0), (0.75, 4.5), (1.0.nextDown, 5.0)])
  func `jitter moves a pause by at most a quarter`(jitter: Double, seconds: Double) throws {
    let pause = try #require(RetryRule().pause(after: 3, asked: nil, jitter: jitter))
    #expect(abs(pause.inSeconds - seconds) < 1e-6)
  }

  @Test(arguments: [(0.0, 45.0), (1.0.nextDown, 75.0)])
  func `jitter comes after the cap`(jitter: Double, seconds: Double) throws {
    let pause = try #require(RetryRule(limit: 20).pause(after: 15, asked: nil, jitter: jitter))
    #expect(abs(pause.inSeconds - seconds) < 1e-6)
  }

  @Test(
    arguments: [
      (.seconds(42), .seconds(42)), (.seconds(1), .seconds(2)), (.zero, .seconds(2)),
      (.seconds(-5), .seconds(2)), (.seconds(3600), .seconds(3600)),
      (.seconds(3601), .seconds(3600)), (.seconds(Int64.max), .seconds(3600)), (nil, .seconds(2)),
    ] as [(Duration?, Duration)]
  )
  func `the server's wish holds when it is longer, up to the longest allowed`(
    asked: Duration?,
    pause: Duration
  ) {
    #expect(RetryRule().pause(after: 2, asked: asked, jitter: even) == pause)
  }

  @Test(arguments: [
    (6, 5, true), (6, 6, false), (6, 7, false), (1, 1, false), (0, 1, false), (2, 1, true),
  ])
  func `it ends when the limit of tries is reached`(limit: Int, tries: Int, goesOn: Bool) {
    let rule = RetryRule(limit: limit)
    #expect((rule.pause(after: tries, asked: nil, jitter: even) != nil) == goesOn)
    #expect((rule.pause(after: tries, asked: .seconds(9), jitter: even) != nil) == goesOn)
  }

  @Test func `a rule's own first pause and cap are used`() {
    let rule = RetryRule(first: .milliseconds(100), cap: .milliseconds(300), limit: 9)
    let pauses = (1...4).map { rule.pause(after: $0, asked: nil, jitter: even)?.inSeconds ?? -1 }
    for (pause, expected) in zip(pauses, [0.1, 0.2, 0.3, 0.3]) {
      #expect(abs(pause - expected) < 1e-9)
    }
  }
}
