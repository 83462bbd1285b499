// SPDX-License-Identifier: Apache-2.0
//
// StoredTests: every state, kind and choice survives being written as text.

import Testing
import Transfers

@testable import Storage

private let failure = Failure(.serverError, code: 502, detail: "it said\tno\n")

private let activeStates: [TransferState] = [
  .queued, .connecting, .downloading, .stalled, .verifying,
  .waitingForRetry(
    RetryWait(failure: failure, attempt: 2, limit: 6, until: Moment(nanoseconds: 5))
  ),
]

private let held = TransferState.paused(.scheduled(Hold(.quota, until: WallTime(seconds: 7))))

private let verifications: [Verification] =
  [.lengthOnly, .unverified] + ChecksumAlgorithm.allCases.map { .checked($0) }

private let restingStates: [TransferState] =
  [.queued, .paused(.byUser), .paused(.diskFull(failure)), .cancelled]
  + FailureKind.allCases.map { .failed(Failure($0, code: -7, detail: "d")) }
  + verifications.map { .finished(Completion(at: WallTime(seconds: 42), verification: $0)) }

@Suite("What is stored as text")
struct StoredTests {
  @Test("States at rest come back as they were", arguments: restingStates)
  func restingState(_ state: TransferState) {
    #expect(StoredState(state).state == state)
  }

  @Test("What was under way is stored as it was, and comes back as queued")
  func activeState() {
    let all = activeStates + [held]
    #expect(Set(all.map { StoredState($0).code }).count == all.count)
    #expect(all.allSatisfy { StoredState($0).state == .queued })
  }

  @Test("Every code is in use, and none is written twice")
  func codes() {
    let used = Set((activeStates + restingStates + [held]).map { StoredState($0).code })
    #expect(used == Set(StoredState.Code.allCases))
  }

  @Test("A state without what belongs to it is not guessed")
  func incompleteState() {
    #expect(StoredState(code: .failed).state == nil)
    #expect(StoredState(code: .pausedForSpace).state == nil)
    #expect(StoredState(code: .finished, finishedAt: WallTime(seconds: 1)).state == nil)
    let odd = StoredState(code: .finished, finishedAt: WallTime(seconds: 1), verification: "odd")
    #expect(odd.state == nil)
  }

  @Test("Schedules come back, and what is none is not guessed")
  func schedules() {
    let hours = DailyHours(parsing: "22:00-06:00")
    for schedule in [
      Schedule(start: WallTime(seconds: -5)), Schedule(hours: hours),
      Schedule(start: WallTime(seconds: 1 << 40), hours: hours),
    ] {
      #expect(StoredText.text(schedule).flatMap(StoredText.schedule) == schedule)
    }
    #expect(StoredText.text(Schedule()) == nil)
    for text in ["", "- -", "5", "5 6", "x -", "- 22:00-22:00", "5 22:00-06:00 "] {
      #expect(StoredText.schedule(text) == nil)
    }
  }

  @Test("Links come back with all their parts, whatever stands in the login")
  func links() {
    let logins = [
      nil, Login(user: "me", password: ""), Login(user: "a\tb", password: "c\nd\\t\\\\e\u{0}é"),
      Login(user: "\u{301}", password: "\r"), Login(user: "\r\n", password: "\u{301}"),
    ]
    let links = logins.map { link("/a%20b", login: $0) }
    #expect(StoredText.links(StoredText.text(links)) == links)
    #expect(StoredText.text(links).utf8.count { $0 == 10 } == links.count - 1)
  }

  @Test(
    "A text that is no list of links is refused whole",
    arguments: ["", "x", "a\thttp\th\tx\t/"]
  )
  func notLinks(_ text: String) {
    #expect(StoredText.links(text) == nil)
    #expect(StoredText.links(StoredText.text([link("/a")]) + "\n" + text) == nil)
  }

  @Test("Header fields come back")
  func headers() throws {
    let fields = try [("A", "b: c"), ("X-Empty", ""), ("Cookie", " spaced ; é\t")].map { field in
      try #require(HeaderField(name: field.0, value: field.1))
    }
    #expect(StoredText.headers(StoredText.text(fields)) == fields)
    #expect(StoredText.headers("") == [])
    #expect(StoredText.headers("no colon") == nil)
  }

  @Test("Who is believed comes back")
  func trust() {
    for trust in [Trust.system, .anything, .file("/etc/a b.pem"), .file("anything")] {
      #expect(StoredText.trust(StoredText.text(trust)) == trust)
    }
    #expect(StoredText.trust("nobody") == nil)
  }
}
