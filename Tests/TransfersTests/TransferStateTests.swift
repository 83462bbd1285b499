// SPDX-License-Identifier: Apache-2.0
//
// Tests of the transition table: every state with every event, written out by hand.

import Testing
import Transfers

private let reset = Failure(.connectionLost, code: 56)
private let full = Failure(.diskFull, code: 28)
private let wait = RetryWait(
  failure: reset,
  attempt: 2,
  limit: 6,
  until: Moment(nanoseconds: 1_000)
)
private let completion = Completion(at: WallTime(seconds: 7), verification: .checked(.sha256))
private let answer = Answer(
  name: "b.iso",
  total: 100,
  validators: Validators(entityTag: "\"1\""),
  isResumable: true
)

private let newLink = Link(
  text: "http://new.test/b.iso",
  origin: Origin(scheme: .http, host: "new.test", port: 80),
  path: "/b.iso",
  login: nil
)

private let hold = Hold(.hours, until: WallTime(seconds: 9))

/// Each state under one letter.
private let states: [Character: TransferState] = [
  "Q": .queued, "C": .connecting, "D": .downloading, "S": .stalled,
  "P": .paused(.byUser), "F": .paused(.diskFull(full)), "W": .paused(.scheduled(hold)),
  "R": .waitingForRetry(wait),
  "V": .verifying, "+": .finished(completion), "!": .failed(reset), "X": .cancelled,
]

/// The columns of the table.
private let events: [TransferEvent] = [
  .started, .answered(answer), .renamed("c.iso"), .fellSilent, .flowing, .paused(.byUser),
  .paused(.diskFull(full)), .paused(.scheduled(hold)), .resumed, .retryScheduled(wait), .retrying,
  .restarted(reset),
  .completed,
  .finished(completion), .failed(reset), .cancelled, .relinked(newLink), .repairing(.sha256),
]

/// A state, then the state after each event; a dot where the event is illegal.
private let table = """
    st an nm si fl pu pf pw re rs rt rr co fi fa ca lk rp
  Q  C  .  .  .  .  P  F  W  .  .  .  .  .  .  !  X  .  .
  C  .  D  C  S  .  P  F  W  .  R  .  C  V  .  !  X  C  .
  D  .  D  D  S  D  P  F  W  .  R  .  C  V  .  !  X  D  .
  S  .  D  S  S  D  P  F  W  .  R  .  C  V  .  !  X  S  .
  P  .  .  .  .  .  P  P  P  Q  .  .  .  .  .  .  X  .  .
  F  .  .  .  .  .  P  F  W  Q  .  .  .  .  .  .  X  .  .
  W  .  .  .  .  .  P  F  W  Q  .  .  .  .  .  .  X  .  .
  R  .  D  R  .  .  P  F  W  .  R  C  C  V  .  !  X  R  .
  V  .  .  V  .  .  .  .  .  .  R  .  C  V  +  !  X  V  D
  +  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  X  .  .
  !  .  .  .  .  .  .  .  .  Q  .  .  .  .  .  .  X  .  .
  X  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .  .
  """.split(separator: "\n").dropFirst().map { $0.filter { $0 != " " } }.map(Array.init)

private func transfer(in state: TransferState) -> Transfer {
  let origin = Origin(scheme: .http, host: "host.test", port: 80)
  let link = Link(text: "http://host.test/x/a.iso", origin: origin, path: "/x/a.iso", login: nil)
  let earlier = Answer(name: "a.iso", total: 50, validators: Validators(), isResumable: false)
  return Transfer(
    id: TransferID(1),
    request: TransferRequest(mirrors: [link], directory: "/tmp"),
    addedAt: WallTime(seconds: 1),
    state: state,
    answer: earlier,
    file: FileIdentity(device: 1, inode: 2),
    have: ByteRangeSet([ByteRange(0, 10)])
  )
}

@Suite struct `Transfer states` {
  @Test func `the table has every state and every event`() {
    #expect(Set(table.map { $0[0] }) == Set(states.keys))
    #expect(table.allSatisfy { $0.count == events.count + 1 })
    #expect(Set(states.values).count == 12)
    #expect(Set(events).count == 18)
  }

  @Test(arguments: table)
  func `an event leads where the table says or changes nothing`(row: [Character]) throws {
    let start = try #require(states[row[0]])
    for (event, letter) in zip(events, row.dropFirst()) {
      var moved = transfer(in: start)
      let isLegal = moved.apply(event)
      let label: Comment = "\(start) after \(event)"
      #expect(isLegal == (letter != "."), label)
      if letter == "." {
        #expect(moved == transfer(in: start), label)
      } else {
        #expect(moved.state == states[letter], label)
      }
    }
  }

  @Test(arguments: events)
  func `only an answer, a new link and a restart change more than the state`(event: TransferEvent) {
    for state in states.values {
      let before = transfer(in: state)
      var after = before
      guard after.apply(event) else { continue }
      switch event {
      case .answered:
        #expect(after.answer == answer)
        #expect(after.have == before.have)
      case .restarted:
        #expect(after.answer?.name == before.answer?.name)
        #expect(after.answer?.total == nil)
        #expect(after.answer?.isResumable == false)
        #expect(after.have.isEmpty)
      case .renamed(let name):
        #expect(after.answer?.name == name)
        #expect(after.answer?.total == before.answer?.total)
        #expect(after.have == before.have)
      case .relinked(let link):
        #expect(after.request.mirrors == [link] && after.newLink == nil)
        #expect(after.answer == before.answer && after.have == before.have)
        after.request = before.request
      case .started, .fellSilent, .flowing, .paused, .resumed, .retryScheduled, .retrying,
        .completed, .repairing, .finished, .failed, .cancelled:
        #expect(after.answer == before.answer)
        #expect(after.have == before.have)
      }
      #expect(after.file == before.file)
      #expect(after.request == before.request)
    }
  }

  @Test(
    arguments: [
      ("Q", false, false), ("C", true, false), ("D", true, false), ("S", true, false),
      ("P", false, false), ("F", false, false), ("R", true, false), ("V", true, false),
      ("+", false, true), ("!", false, true), ("X", false, true),
    ] as [(Character, Bool, Bool)]
  )
  func `a state is active, ended or neither`(
    letter: Character,
    isActive: Bool,
    isEnded: Bool
  ) throws {
    let state = try #require(states[letter])
    #expect(state.isActive == isActive)
    #expect(state.isEnded == isEnded)
  }

  @Test func `a new link takes the first one's place; header fields go with their origin`() {
    var transfer = transfer(in: .connecting)
    transfer.request.headers = [HeaderField(name: "X", value: "y")].compactMap { $0 }
    transfer.request.mirrors.append(newLink)
    transfer.newLink = newLink
    let isLegal = transfer.apply(.relinked(newLink))
    #expect(isLegal && transfer.newLink == nil)
    #expect(transfer.request.mirrors == [newLink])
    #expect(transfer.request.headers.isEmpty)
  }

  @Test func `a new link is forgotten when the transfer fails`() {
    var transfer = transfer(in: .connecting)
    transfer.newLink = newLink
    let isLegal = transfer.apply(.failed(reset))
    #expect(isLegal && transfer.newLink == nil)
  }

  @Test func `a newer answer and a newer length replace the older ones`() {
    var transfer = transfer(in: .connecting)
    #expect(transfer.name == "a.iso")
    #expect(transfer.total == 50)
    let isLegal = transfer.apply(.answered(answer))
    #expect(isLegal)
    #expect(transfer.name == "b.iso")
    #expect(transfer.total == 100)
    #expect(transfer.received == 10)
  }
}
