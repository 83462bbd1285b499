// SPDX-License-Identifier: Apache-2.0
//
// TransferEvent: something that happened to a transfer; a handful each, never one a chunk.

/// What the first answer told about the file.
public struct Answer: Hashable, Sendable {
  /// The name chosen on disk.
  public private(set) var name: String
  /// The length of the whole file; nil when the server does not say.
  public let total: ByteCount?
  /// The server's validators.
  public let validators: Validators
  /// Whether byte ranges work, so that several connections and resuming are possible.
  public let isResumable: Bool
  /// The text of the link that told it, whose validators these are; nil when that is not known.
  public let source: String?
  /// What was told about the whole file.
  public private(set) var announced: Announced

  /// Makes an answer.
  public init(
    name: String,
    total: ByteCount?,
    validators: Validators,
    isResumable: Bool,
    source: String? = nil,
    announced: Announced = Announced()
  ) {
    self.name = name
    self.total = total
    self.validators = validators
    self.isResumable = isResumable
    self.source = source
    self.announced = announced
  }

  /// The same with another name.
  func named(_ name: String) -> Answer {
    var answer = self
    answer.name = name
    return answer
  }

  /// The same with what is known about the whole file.
  public func with(_ announced: Announced) -> Answer {
    var answer = self
    answer.announced = announced
    return answer
  }

  /// What is left of an answer whose bytes were dropped: the name only.
  var forgotten: Answer {
    Answer(name: name, total: nil, validators: Validators(), isResumable: false)
  }
}

/// Something that happened to a transfer.
public enum TransferEvent: Hashable, Sendable {
  /// A worker took it.
  case started
  /// The first answer has been accepted; bytes follow.
  case answered(Answer)
  /// The new link has shown that it has the file; it takes the place of the first one.
  case relinked(Link)
  /// The name was taken at the last moment; this is the one the file has.
  case renamed(String)
  /// No byte for a while.
  case fellSilent
  /// Bytes again.
  case flowing
  /// It stands still.
  case paused(PauseReason)
  /// It goes back to the queue.
  case resumed
  /// It will try again.
  case retryScheduled(RetryWait)
  /// The wait is over.
  case retrying
  /// All that was there is dropped; it begins again from zero.
  case restarted(Failure)
  /// All bytes are there.
  case completed
  /// The digest is another than that of this algorithm which is expected: the file is fetched once
  /// more and compared.
  case repairing(ChecksumAlgorithm)
  /// It is done.
  case finished(Completion)
  /// It is given up.
  case failed(Failure)
  /// It leaves the list.
  case cancelled
}
