// SPDX-License-Identifier: Apache-2.0
//
// Tests of Failure: the table of remedies, the table of statuses and the words on the screen.

import Testing
import Transfers

private let remedies: [(FailureKind, Remedy)] = [
  (.needsLogin, .giveUp), (.refused, .giveUp), (.notFound, .giveUp), (.serverBusy, .retry),
  (.serverError, .retry), (.rejected, .giveUp), (.redirectLoop, .giveUp),
  (.redirectRefused, .giveUp), (.wrongRange, .restart), (.badAnswer, .giveUp),
  (.unwantedCoding, .giveUp), (.changed, .restart), (.notTheFile, .giveUp), (.otherFile, .giveUp),
  (.isDirectory, .giveUp),
  (.wrongLength, .restart), (.cutShort, .retry), (.noSuchHost, .retry), (.cannotConnect, .retry),
  (.timedOut, .retry), (.connectionLost, .retry), (.certificate, .giveUp), (.encryption, .retry),
  (.proxyRefused, .giveUp), (.hostUnknown, .giveUp), (.hostKeyChanged, .giveUp),
  (.checksumDiffers, .giveUp), (.diskFull, .waitForSpace),
  (.cannotWrite, .giveUp), (.noDirectory, .giveUp), (.nameNotUsable, .giveUp),
  (.partialGone, .restart), (.diskFault, .giveUp), (.notALink, .giveUp),
  (.noCookieFile, .giveUp), (.badNetrc, .giveUp), (.noDescriptors, .retry), (.unexpected, .giveUp),
]

@Suite struct `Failures` {
  @Test(arguments: remedies)
  func `each kind has its remedy`(kind: FailureKind, remedy: Remedy) {
    #expect(kind.remedy == remedy)
    #expect(Failure(kind).remedy == remedy)
  }

  @Test func `the table of remedies has every kind once`() {
    #expect(remedies.count == FailureKind.allCases.count)
    #expect(Set(remedies.map(\.0)) == Set(FailureKind.allCases))
  }

  @Test(
    arguments: [
      (100, .badAnswer), (204, .badAnswer), (301, .badAnswer), (304, .badAnswer), (399, .badAnswer),
      (400, .rejected), (401, .needsLogin), (402, .rejected), (403, .refused), (404, .notFound),
      (405, .rejected), (407, .proxyRefused), (408, .serverBusy), (409, .rejected),
      (410, .notFound),
      (412, .rejected), (416, .wrongRange), (418, .rejected), (425, .serverBusy),
      (429, .serverBusy),
      (451, .rejected), (499, .rejected), (500, .serverError), (501, .serverError),
      (502, .serverError), (503, .serverBusy), (504, .serverError), (599, .serverError),
      (600, .badAnswer), (999, .badAnswer), (0, .badAnswer), (-1, .badAnswer),
    ] as [(Int, FailureKind)]
  )
  func `a status without a file says what went wrong`(status: Int, kind: FailureKind) {
    #expect(Failure.status(status) == Failure(kind, code: status))
  }

  @Test(arguments: FailureKind.allCases)
  func `each kind has words that fit where they are shown`(kind: FailureKind) {
    let failure = Failure(kind, code: 999, detail: "what the server said")
    for text in [failure.short, failure.advice] {
      #expect(!text.isEmpty)
      #expect(text.utf8.allSatisfy { 0x20 <= $0 && $0 < 0x7F }, "one ASCII byte is one cell")
      #expect(text.first != " " && text.last != " ")
      #expect(!text.contains("what the server said"))
    }
    #expect(failure.short.count <= 20)
    #expect(failure.advice.count <= 78)
    #expect(failure.advice.hasSuffix("."))
  }

  @Test func `no two kinds share their words`() {
    let failures = FailureKind.allCases.map { Failure($0, code: 500) }
    #expect(Set(failures.map(\.short)).count == failures.count)
    #expect(Set(failures.map(\.advice)).count == failures.count)
  }

  @Test(arguments: [
    (404, "404 not found"), (410, "410 not found"), (502, "server error 502"),
    (418, "rejected with 418"),
  ])
  func `the short form names the status where it tells something`(status: Int, short: String) {
    #expect(Failure.status(status).short == short)
  }
}
