// SPDX-License-Identifier: Apache-2.0
//
// What the keys that act on transfers do, the same from the list and from the details.
// Holds    the rule that an action names what it acted on, and says so when there is nothing to do.
// Never    changes a state: it asks, and the engine's answer comes as a message.

import Frames
import Transfers

extension Model {
  /// Pauses what can be paused; resumes if all that is not at its end is paused.
  mutating func pauseOrResume(_ ids: [TransferID]) {
    let rows = ids.compactMap { transfers[$0] }
    let paused = rows.filter { Group($0.state) == .paused }.map(\.id)
    let going = rows.filter { $0.state.isActive || Group($0.state) == .waiting }.map(\.id)
    if !going.isEmpty {
      for id in going { mark(id, as: .pausing) }
      ask(.pause(going))
      say("you paused \(named(going))")
    } else if !paused.isEmpty {
      ask(.resume(paused))
      say("you resumed \(named(paused))")
    } else {
      sayNothing(to: "pause", rows)
    }
  }

  /// Pauses everything, or resumes what the last such key paused.
  mutating func pauseOrResumeAll() {
    let mine = pausedTogether.filter { id in
      transfers[id].map { Group($0.state) == .paused || $0.pending == .pausing } ?? false
    }
    pausedTogether = []
    guard mine.isEmpty else { return resumeTogether(mine) }
    let going = transfers.ids { $0.state.isActive || Group($0.state) == .waiting }
    guard !going.isEmpty else { return say("nothing to pause") }
    for id in going { mark(id, as: .pausing) }
    pausedTogether = going
    ask(.pauseAll)
    say("you paused everything (\(going.count)); P resumes it")
  }

  private mutating func resumeTogether(_ ids: [TransferID]) {
    for id in ids { mark(id, as: nil) }
    ask(.resumeAll(ids))
    say("you resumed \(Figures.counted(ids.count, "download"))")
  }

  /// Tries again at once what failed or waits for its next try.
  mutating func retry(_ ids: [TransferID]) {
    let rows = ids.compactMap { transfers[$0] }
    let able = rows.filter(\.canRetry).map(\.id)
    guard !able.isEmpty else { return sayNothing(to: "retry", rows) }
    ask(.retry(able))
    say("you retried \(named(able))")
  }

  /// Opens the question about removal.
  mutating func askToRemove(_ ids: [TransferID]) -> Step {
    let rows = ids.compactMap { transfers[$0] }
    return rows.isEmpty ? .stay : .open(RemoveQuestion(rows))
  }

  /// Opens the dialog for a new link.
  mutating func editLink(of id: TransferID?) -> Step {
    guard let row = id.flatMap({ transfers[$0] }) else {
      say("the list is empty")
      return .stay
    }
    guard row.takesNewLink else {
      say("\(shown(row.transfer.name)) \(row.state.isOrHas)")
      return .stay
    }
    return .open(LinkDialog(row))
  }

  /// Takes what is finished off the list; the files stay.
  mutating func clearFinished() {
    let done = transfers.ids { Group($0.state) == .done }
    guard !done.isEmpty else { return say("nothing is finished yet") }
    for id in done { mark(id, as: .removing) }
    ask(.remove(done, deleteFiles: false))
    say("\(Figures.counted(done.count, "finished download")) off the list; the files stay")
  }

  /// One by its name, several by their number.
  func named(_ ids: [TransferID]) -> String {
    guard ids.count == 1, let row = ids.first.flatMap({ transfers[$0] }) else {
      return Figures.counted(ids.count, "download")
    }
    return shown(row.transfer.name)
  }

  private mutating func sayNothing(to verb: String, _ rows: [Row]) {
    guard let row = rows.first, rows.count == 1 else {
      return say(rows.isEmpty ? "the list is empty" : "nothing to \(verb) among the tagged")
    }
    let hint = Group(row.state) == .failed ? "; r tries again, d removes it" : ""
    say("\(shown(row.transfer.name)) \(row.state.isOrHas)\(hint)")
  }
}

extension Row {
  /// Whether it can go on from another link.
  var takesNewLink: Bool {
    switch state {
    case .queued, .connecting, .downloading, .stalled, .paused, .waitingForRetry, .failed: true
    case .verifying, .finished, .cancelled: false
    }
  }

  /// Whether trying again at once means something.
  var canRetry: Bool {
    switch state {
    case .failed, .waitingForRetry, .paused(.scheduled): true
    case .queued, .connecting, .downloading, .stalled, .paused(.byUser), .paused(.diskFull),
      .verifying, .finished, .cancelled:
      false
    }
  }
}

extension TransferState {
  /// The state as the end of a sentence.
  fileprivate var isOrHas: String {
    switch self {
    case .queued: "waits for its turn"
    case .connecting, .downloading, .stalled: "is running"
    case .paused(.byUser), .paused(.diskFull): "is paused; p resumes it"
    case .paused(.scheduled): "waits for its time"
    case .waitingForRetry: "waits for its next try"
    case .verifying: "is being checked"
    case .finished: "is finished"
    case .failed: "has failed"
    case .cancelled: "is removed"
    }
  }
}
