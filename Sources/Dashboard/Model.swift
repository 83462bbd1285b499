// SPDX-License-Identifier: Apache-2.0
//
// Model: what every screen looks at: the list, the selection and tags by identity, the time, the
// notice, the speeds of the last seconds.
// Holds    a selection that is in the list whenever the list is not empty, and tags that are in it.
// Never    draws, and never decides what a key does.

import Frames
import Transfers

/// What every screen looks at.
struct Model: Sendable {
  let settings: Settings
  var glyphs: Glyphs
  var size: Size
  var now: Moment
  private(set) var wall: WallTime?
  private(set) var transfers = TransferList()
  private(set) var selected: TransferID?
  private(set) var tags: Set<TransferID> = []
  private(set) var freeSpace: ByteCount?
  private(set) var speed: ByteRate = 0
  private(set) var smoothSpeed: ByteRate = 0
  private(set) var speeds: [Int64] = []
  private(set) var notice = Notice()
  /// The limit of everything together.
  var timetable: Timetable?
  /// What `pauseAll` paused, for the way back.
  var pausedTogether: [TransferID] = []
  private var effects: [Effect] = []
  private var unknownKeyWasTold = false

  init(size: Size, glyphs: Glyphs, settings: Settings) {
    self.settings = settings
    self.glyphs = glyphs
    self.size = size
    now = Moment(nanoseconds: 0)
  }

  /// The selected row; nil only when the list is empty.
  var selectedRow: Row? { selected.flatMap { transfers[$0] } }

  /// The place of the selected row.
  var selectedPlace: Int { selected.flatMap(transfers.place) ?? 0 }

  /// Text from outside, fit to be shown.
  func shown(_ text: String) -> String { Sanitizer.shown(text, in: glyphs.text) }

  /// Asks for something to be done.
  mutating func ask(_ effect: Effect) { effects.append(effect) }

  /// Hands over what was asked for.
  mutating func takeEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Shows one line to the user until the next.
  mutating func say(_ text: String, isStamped: Bool = false) {
    notice = Notice(text: text, at: isStamped ? wall : nil, isFresh: true)
  }

  /// Says once that a key means nothing here.
  mutating func sayUnknownKey() {
    guard !unknownKeyWasTold else { return }
    unknownKeyWasTold = true
    say("no such key here, ? lists them")
  }

  /// Sets the wall clock, and tells whether another day has begun or another limit is in force.
  mutating func setClock(_ time: WallTime) -> Bool {
    let (before, limit) = (wall, limit)
    wall = time
    guard let before else { return true }
    return limit != self.limit
      || !settings.localTime(before).isSameDay(as: settings.localTime(time))
  }

  /// The limit of everything together that is in force now; nil for none.
  var limit: ByteRate? {
    guard let wall else { return nil }
    return timetable?.rate(at: settings.localTime(wall))
  }

  /// The user has pressed a key since the notice came.
  mutating func noticeWasSeen() { notice.isFresh = false }
}

/// The message line.
struct Notice: Hashable, Sendable {
  var text = ""
  var at: WallTime?
  /// Whether no key was pressed since; where peek and notice share a line, a fresh notice wins.
  var isFresh = false
}

// MARK: - The list

extension Model {
  mutating func load(_ loaded: [Transfer]) {
    transfers = TransferList()
    take(loaded)
    tags = tags.filter { transfers.place(of: $0) != nil }
    if selected.flatMap(transfers.place) == nil { selected = transfers.first?.id }
  }

  mutating func take(_ changed: [Transfer]) {
    for transfer in changed { transfers.take(transfer, now: now) }
    selected = selected ?? transfers.first?.id
  }

  mutating func remove(_ ids: [TransferID]) {
    let gone = Set(ids.filter { transfers.place(of: $0) != nil })
    guard !gone.isEmpty else { return }
    let next = selected.flatMap { gone.contains($0) ? neighbour(of: $0, without: gone) : $0 }
    transfers.remove(gone)
    tags.subtract(gone)
    selected = next
  }

  /// The first row below that stays, else the last one above.
  private func neighbour(of id: TransferID, without gone: Set<TransferID>) -> TransferID? {
    guard let place = transfers.place(of: id) else { return nil }
    let below = (place..<transfers.count).first { !gone.contains(transfers[$0].id) }
    let above = (0..<place).last { !gone.contains(transfers[$0].id) }
    return (below ?? above).map { transfers[$0].id }
  }

  mutating func select(place: Int) {
    guard !transfers.isEmpty else { return }
    selected = transfers[min(max(0, place), transfers.count - 1)].id
  }

  mutating func mark(_ id: TransferID, as pending: Pending?) {
    transfers.change(id) { $0.pending = pending }
  }
}

// MARK: - Tags

extension Model {
  mutating func toggleTag(_ id: TransferID) {
    if tags.remove(id) == nil { tags.insert(id) }
  }

  mutating func invertTags() {
    tags = Set(transfers.ids { !tags.contains($0.id) })
  }

  mutating func untagAll() { tags = [] }

  /// The tagged transfers in queue order if there are any, else the selected one.
  var targets: [TransferID] {
    guard tags.isEmpty else {
      return tags.sorted { (transfers.place(of: $0) ?? 0) < (transfers.place(of: $1) ?? 0) }
    }
    return selected.map { [$0] } ?? []
  }
}

// MARK: - Samples

extension Model {
  /// Takes the samples of one second, and tells whether the picture may change.
  ///
  /// The past of the speed goes when nothing runs any more, so that an idle screen stands still.
  mutating func take(_ samples: [TransferSample], freeSpace space: ByteCount?) -> Bool {
    for sample in samples {
      transfers.change(sample.id) { $0.take(sample, now: now) }
    }
    let running = samples.compactMap { transfers[$0.id] }.filter(\.isMoving)
    speed = Self.sum(running.compactMap { $0.live?.speed })
    smoothSpeed = Self.sum(running.compactMap { $0.live?.smoothSpeed })
    let isRunning = transfers.tally[.active] > 0
    let mayDiffer =
      isRunning || !speeds.isEmpty || space.map(Figures.size) != freeSpace.map(Figures.size)
    speeds = isRunning ? (speeds + [speed.bytesPerSecond]).suffix(60) : []
    freeSpace = space
    return mayDiffer
  }

  /// Moves bars, and tells whether one moved.
  mutating func moveBars(_ samples: [TransferSample]) -> Bool {
    var moved = false
    for sample in samples {
      transfers.change(sample.id) { row in
        if row.moveBar(sample, now: now) { moved = true }
      }
    }
    return moved
  }

  private static func sum(_ rates: [ByteRate]) -> ByteRate {
    ByteRate(rates.reduce(0) { $0 &+ $1.bytesPerSecond })
  }
}

extension Row {
  /// Whether its speed counts.
  fileprivate var isMoving: Bool {
    switch state {
    case .downloading, .stalled: true
    case .queued, .connecting, .paused, .waitingForRetry, .verifying, .finished, .failed,
      .cancelled:
      false
    }
  }
}
