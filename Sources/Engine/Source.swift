// SPDX-License-Identifier: Apache-2.0
//
// Source: a link of a transfer, with what a run has found out about it.
//
// Holds    whether its bytes are known to belong to the file, by which validators that is checked
//          from then on, how fast it is, how often it failed, and why it is no longer asked.
// Threads  a value in `RunCore`.

import Transfers

/// One link that is asked for a file's bytes.
struct Source {
  let link: Link
  /// Whether a server named it, not the user: it gets none of the user's secrets.
  let isFound: Bool
  /// What it told before this run; empty when it was never asked.
  private let remembered: Validators

  var standing: SourceSample.Standing
  /// What its answers must carry.
  var validators: Validators
  /// The blocks that have still to be compared; nil before they were chosen.
  var blocks: [ByteRange]?
  /// The most exchanges it has shown to take at once.
  var limit = Int.max
  /// The speed one of its connections had last, bytes a second.
  var rate: Double?
  /// The bytes that it brought, noted only when pieces have digests.
  var gave = ByteRangeSet()
  /// Tries in a row that brought no byte.
  var tries = 0
  /// Answers in a row that did not fit.
  var mismatches = 0
  /// Before this it is not asked.
  var notBefore = Moment(nanoseconds: .min)
  /// Why it waits for that; nil when it has been asked again.
  var waitReason: WaitReason?
  /// Whether it was asked again because what it had led to refused.
  var wasAskedAgain = false
  /// Whether nothing has come from it since it failed: one exchange at a time tries it.
  var isKnockedAt = false
  var useDate = false
  var withoutRange = false
  /// Whether it has no ranges: it sends the file from its start, once.
  var isStream = false

  init(_ link: Link, remembered: Validators? = nil, isFound: Bool = false) {
    self.link = link
    self.isFound = isFound
    self.remembered = remembered ?? Validators()
    validators = self.remembered
    standing = .unproven
  }

  /// The link that gave an earlier run this answer.
  init(_ link: Link, that answer: Answer, isFound: Bool = false) {
    self.init(link, remembered: answer.validators, isFound: isFound)
    if answer.isResumable { standing = .proven }
  }

  var isProven: Bool { standing == .proven }

  /// Whether it may be asked, now or after a pause.
  var isUsable: Bool {
    switch standing {
    case .unproven, .proven: true
    case .aside: false
    }
  }

  /// The condition that its answers can be tied to.
  var condition: Condition {
    if !useDate, validators.strongTag != nil { return .tag }
    return validators.lastModified != nil ? .date : .none
  }

  /// Takes that it brought bytes of the file.
  mutating func broughtBytes() {
    tries = 0
    wasAskedAgain = false
    isKnockedAt = false
  }

  /// Takes that a block was found equal; it is proven with the last.
  mutating func agreed(on block: ByteRange, _ told: Validators) {
    validators = told
    broughtBytes()
    blocks?.removeAll { $0 == block }
    if blocks?.isEmpty == true { standing = .proven }
  }

  /// Nothing is on disk any more that it could be compared with.
  mutating func forget() {
    mismatches = 0
    useDate = false
    isStream = false
    blocks = nil
    validators = remembered
    if isProven { standing = .unproven }
  }

  /// What was another file may be the right one now.
  mutating func comeBack() {
    if case .aside(let failure) = standing, failure.remedy == .restart { standing = .unproven }
  }
}
