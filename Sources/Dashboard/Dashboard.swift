// SPDX-License-Identifier: Apache-2.0
//
// Dashboard: the application as a value: messages in, effects and pictures out.
// Holds    the model and the stack of screens, the list always at the bottom.
// Thread   none of its own; the wiring calls it on the render queue.
// Never    does I/O, reads a clock, takes a lock; every message goes to the model or to the screen
//          on top.

public import Frames
public import Transfers

/// The whole application as a value.
public struct Dashboard: Sendable {
  /// Whether the picture may differ from the one last presented.
  public private(set) var needsFrame = true
  private var model: Model
  private var screens: [any Screen] = [ListScreen()]
  private var topWasSeen = true

  /// Makes a dashboard with an empty list.
  ///
  /// - Parameters:
  ///   - size: The size of the screen, any.
  ///   - glyphs: The signs to draw with.
  ///   - settings: What it is handed once.
  public init(size: Size, glyphs: Glyphs, settings: Settings) {
    model = Model(size: size, glyphs: glyphs, settings: settings)
  }

  /// Takes one message.
  ///
  /// Costs time in proportion to what changed, not to the list, except for removals and for keys
  /// that act on the whole list.
  ///
  /// - Parameters:
  ///   - message: What happened.
  ///   - now: The monotonic time; never earlier than in the call before.
  /// - Returns: What is to be done, in order.
  public mutating func update(_ message: Message, now: Moment) -> [Effect] {
    model.now = now
    if take(message) { needsFrame = true }
    return model.takeEffects()
  }

  /// Draws the picture of this moment at the size last told.
  public func draw() -> Canvas {
    var canvas = Canvas(size: model.size)
    let first = screens.lastIndex(where: \.isOpaque) ?? 0
    for screen in screens[first...] { screen.draw(on: &canvas, model) }
    return canvas
  }

  /// Tells that what `draw` returned has reached the terminal.
  ///
  /// Questions take answers only from then on, so that a key meant for the screen below is never
  /// an answer.
  public mutating func framePresented() {
    needsFrame = false
    topWasSeen = true
  }

  /// Whether the next picture asks something for the first time.
  public var asksAnew: Bool { !topWasSeen && screens.last?.mustBeSeen == true }

  /// Whether block elements and lines are drawn.
  public var drawsBlocks: Bool { model.glyphs.text == .unicode }

  /// What the screens look at.
  var state: Model { model }

  /// How many transfers are running or wait for their next try.
  public var activeCount: Int { model.transfers.tally[.active] }

  /// Does what a message asks, and tells whether the picture may have changed.
  private mutating func take(_ message: Message) -> Bool {
    switch message {
    case .key(let key): press(key)
    case .resized(let size): model.size = size
    case .redrawn(let glyphs): model.glyphs = glyphs
    case .loaded(let transfers): model.load(transfers)
    case .changed(let transfers): return follow(transfers)
    case .removed(let ids): model.remove(ids)
    case .sampled(let samples, let space): return model.take(samples, freeSpace: space)
    case .bars(let samples): return model.moveBars(samples)
    case .limited(let timetable): model.timetable = timetable
    case .notice(let text): model.say(text, isStamped: true)
    case .logged(let id, let lines): pass(lines, of: id)
    case .resumedFromSuspension: model.ask(.redraw)
    case .clock(let time): return model.setClock(time)
    }
    settle()
    return true
  }

  private mutating func follow(_ changed: [Transfer]) -> Bool {
    guard !changed.isEmpty else { return false }
    model.tellNews(of: changed)
    model.take(changed)
    settle()
    return true
  }

  private mutating func pass(_ lines: [LogLine], of id: TransferID) {
    for index in screens.indices { screens[index].take(log: lines, of: id) }
  }

  /// Lets every screen follow the model.
  ///
  /// Those without a subject go; the list always stays.
  private mutating func settle() {
    let count = screens.count
    var kept: [any Screen] = []
    for var screen in screens where screen.settle(&model) { kept.append(screen) }
    screens = kept
    if kept.count < count { needsFrame = true }
  }
}

// MARK: - Keys

extension Dashboard {
  private mutating func press(_ key: Key) {
    if pressAnywhere(key) { return }
    let top = screens.count - 1
    guard topWasSeen || !screens[top].mustBeSeen else { return }
    model.noticeWasSeen()
    let wasQuestion = screens[top].mustBeSeen
    switch screens[top].press(key, &model) {
    case .stay: if screens[top].mustBeSeen && !wasQuestion { topWasSeen = false }
    case .close: screens.remove(at: top)
    case .open(let screen):
      screens.append(screen)
      topWasSeen = false
    }
  }

  /// Does what a key means on every screen; false if it means nothing of the kind.
  private mutating func pressAnywhere(_ key: Key) -> Bool {
    let action = KeyMap.action(for: key, in: .list)
    let quits = action == .quitNow && screens.last?.takesText == false
    if action == .redraw { model.ask(.redraw) }
    if action == .suspend { model.ask(.suspend) }
    if quits { model.ask(.quit) }
    return action == .redraw || action == .suspend || quits
  }
}
