// SPDX-License-Identifier: Apache-2.0
//
// Transfer: one thing the user asked for, one target file, with everything known about it.
//
// Holds    the invariant that `state` changes in `apply` and nowhere else.
// Never    knows threads, descriptors or the screen; a value that is copied freely.

/// A transfer's identity, unique within a session and never used again.
public struct TransferID: Hashable, Comparable, Sendable {
  /// The row number in the session, from 1.
  public let number: Int64

  /// Makes an identity from a session's row number.
  public init(_ number: Int64) {
    self.number = number
  }

  /// Orders by age.
  public static func < (left: TransferID, right: TransferID) -> Bool {
    left.number < right.number
  }
}

/// The identity of a file on disk, which a rename does not change (`stat(2)`).
public struct FileIdentity: Hashable, Sendable {
  /// The device.
  public let device: UInt64
  /// The inode number.
  public let inode: UInt64

  /// Makes an identity from `st_dev` and `st_ino`.
  public init(device: UInt64, inode: UInt64) {
    self.device = device
    self.inode = inode
  }
}

/// One transfer.
public struct Transfer: Hashable, Sendable {
  /// Who it is.
  public let id: TransferID
  /// What was asked for; changed only while nothing runs for it, but for its rate limit and for a
  /// new link that was found to have the file.
  public var request: TransferRequest {
    get { sharedRequest.value }
    set { sharedRequest = Shared(newValue) }
  }
  /// The same, in the box that all copies of this transfer share until it is changed.
  public private(set) var sharedRequest: Shared<TransferRequest>
  /// A link given in place of the first, until it has shown that it has the same file.
  public var newLink: Link?
  /// When it was added.
  public let addedAt: WallTime
  /// Where it stands.
  public private(set) var state: TransferState
  /// What the first answer told; nil until there was one.
  public private(set) var answer: Answer? {
    get { sharedAnswer?.value }
    set { sharedAnswer = newValue.map(Shared.init) }
  }
  private var sharedAnswer: Shared<Answer>?
  /// Which file on disk holds the bytes; nil until one was made.
  public var file: FileIdentity?
  /// Which bytes are on disk, as far as is claimed.
  public var have: ByteRangeSet
  /// How far a repair has come; nil while there is none.
  public var repair: RepairProgress?

  /// Makes a transfer, new or as remembered.
  public init(
    id: TransferID,
    request: TransferRequest,
    newLink: Link? = nil,
    addedAt: WallTime,
    state: TransferState = .queued,
    answer: Answer? = nil,
    file: FileIdentity? = nil,
    have: ByteRangeSet = ByteRangeSet(),
    repair: RepairProgress? = nil
  ) {
    self.id = id
    sharedRequest = Shared(request)
    self.newLink = newLink
    self.addedAt = addedAt
    self.state = state
    sharedAnswer = answer.map(Shared.init)
    self.file = file
    self.have = have
    self.repair = repair
  }

  /// The name on disk once known, else the user's, else the last part of the link's path, decoded
  /// if that makes text.
  public var name: String { answer?.name ?? request.likelyName }

  /// The length of the whole file, when known.
  public var total: ByteCount? { answer?.total }

  /// The number of bytes that are on disk.
  public var received: ByteCount { ByteCount(have.count) }

  /// Drops what is known about bytes on disk, since they are not there or not right.
  public mutating func forgetBytes() {
    have = ByteRangeSet()
    repair = nil
    file = nil
    answer = answer?.forgotten
  }

  /// Changes what is known about the whole file; nothing without an answer.
  public mutating func announce(_ change: (inout Announced) -> Void) {
    guard let answer else { return }
    var announced = answer.announced
    change(&announced)
    self.answer = answer.with(announced)
  }

  /// Applies one event.
  ///
  /// - Parameter event: What happened.
  /// - Returns: Whether the event is legal in this state; when not, nothing changes.
  public mutating func apply(_ event: TransferEvent) -> Bool {
    guard let next = state.after(event) else { return false }
    state = next
    switch event {
    case .answered(let answer):
      self.answer = answer
    case .restarted:
      have = ByteRangeSet()
      repair = nil
      answer = answer?.forgotten
    case .renamed(let name):
      answer = answer?.named(name)
    case .relinked(let link):
      request.swap(to: link)
      newLink = nil
    case .failed:
      newLink = nil
    case .finished:
      repair = nil
    case .started, .fellSilent, .flowing, .paused, .resumed, .retryScheduled, .retrying,
      .completed, .repairing, .cancelled:
      break
    }
    return true
  }
}
