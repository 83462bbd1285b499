// SPDX-License-Identifier: Apache-2.0
//
// StateWords: the states as letters, words, reasons and roles.
// Holds    reasons of at most 20 cells and words of at most 6; state is never told by colour alone.
// Never    shows a library's words as the only explanation.

import Frames
import Transfers

extension TransferState {
  /// The letter of the state, different for each; one that waits for its time has its own.
  var letter: String {
    switch self {
    case .queued: "Q"
    case .connecting: "C"
    case .downloading: "D"
    case .paused(.byUser), .paused(.diskFull): "P"
    case .paused(.scheduled): "W"
    case .stalled: "S"
    case .waitingForRetry: "R"
    case .verifying: "V"
    case .failed: "!"
    case .finished: "+"
    case .cancelled: "X"
    }
  }

  /// What colours the letter.
  var letterRole: Role {
    switch self {
    case .connecting: .connect
    case .downloading: .running
    case .stalled, .waitingForRetry, .paused(.diskFull): .attention
    case .verifying: .verify
    case .failed: .failed
    case .paused(.byUser), .cancelled: .dim
    case .queued, .finished, .paused(.scheduled): .plain
    }
  }

  /// What colours the bar.
  var barRole: Role {
    switch self {
    case .connecting: .plain
    case .downloading, .stalled, .waitingForRetry, .verifying, .failed, .paused, .cancelled,
      .queued, .finished:
      letterRole
    }
  }

  /// The state in one or two words, for sentences.
  var plainWord: String {
    switch self {
    case .queued: "waiting"
    case .connecting: "connecting"
    case .downloading: "running"
    case .paused(.byUser), .paused(.diskFull): "paused"
    case .paused(.scheduled): "waiting"
    case .stalled: "stalled"
    case .waitingForRetry: "waiting to retry"
    case .verifying: "being checked"
    case .failed: "failed"
    case .finished: "finished"
    case .cancelled: "removed"
    }
  }
}

extension Row {
  /// At most 20 cells for the list; nil while speed and time left stand there.
  ///
  /// - Parameters:
  ///   - model: The time and the user's clock.
  ///   - turn: Its place among those that wait, from 1.
  ///   - columns: The cells there are; with less than 20 some reasons are shorter.
  /// - Returns: The reason, or nil.
  func reason(_ model: Model, turn: Int, columns: Int = 20) -> String? {
    if let pending { return pending == .pausing ? "pausing" : "removing" }
    switch state {
    case .queued:
      let place = "waiting, \(Figures.ordinal(turn))"
      return place.utf8.count + 8 <= columns ? place + " in line" : place
    case .connecting: return "connecting \(Figures.elapsed(model.now - since))"
    case .downloading: return nil
    case .stalled: return "no data for \(Figures.elapsed(model.now - silentSince))"
    case .paused(.byUser): return "paused by you"
    case .paused(.diskFull(let failure)), .failed(let failure): return failure.short
    case .paused(.scheduled(let hold)): return hold.reason(model.settings.localTime, model.wall)
    case .waitingForRetry(let wait):
      return "retry \(wait.attempt)/\(wait.limit) \(wait.when(model.now))"
    case .verifying: return "checking \(transfer.request.checksum?.algorithm.shown ?? "the file")"
    case .finished(let completion): return completion.words(model, columns)
    case .cancelled: return "removed"
    }
  }

  /// At most 6 cells for a narrow list; nil while the speed stands there.
  func word(_ model: Model) -> String? {
    if let pending { return pending == .pausing ? "pause" : "remove" }
    switch state {
    case .queued: return "wait"
    case .connecting: return "conn"
    case .downloading: return nil
    case .stalled: return "stall"
    case .paused(.byUser): return "paused"
    case .paused(.diskFull): return "disk"
    case .paused(.scheduled(let hold)): return hold.word(model.settings.localTime, model.wall)
    case .waitingForRetry(let wait): return Figures.timeLeft(wait.until - model.now)
    case .verifying: return "check"
    case .finished: return "done"
    case .failed: return "failed"
    case .cancelled: return "gone"
    }
  }

  /// Since when no byte has come.
  private var silentSince: Moment { live.map { min($0.grewAt, since) } ?? since }
}

extension RetryWait {
  fileprivate func when(_ now: Moment) -> String {
    until > now ? "in \(Figures.timeLeft(until - now))" : "now"
  }
}

extension Completion {
  /// `done 12:41, checked`, or the date if it was another day.
  fileprivate func words(_ model: Model, _ columns: Int) -> String {
    let time = model.settings.localTime(at)
    let isToday = model.wall.map { model.settings.localTime($0).isSameDay(as: time) } ?? true
    let when = isToday ? Figures.timeOfDay(time) : Figures.date(time)
    switch verification {
    case .checked where when.utf8.count + 14 <= columns: return "done \(when), checked"
    case .checked, .lengthOnly, .unverified: return "done \(when)"
    }
  }
}
