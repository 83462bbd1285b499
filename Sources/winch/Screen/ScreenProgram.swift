// SPDX-License-Identifier: Apache-2.0
//
// ScreenProgram: the full screen: terminal, dashboard and engine put together.
//
// Everything arrives on the render queue: keys, signals, the frame clock, and what the engine posts.
// Each becomes a message for the dashboard; effects go to the engine or the terminal; then a frame.
//
// Owns     the screen, the dashboard, the engine; gives the terminal back before anything else.
// Threads  the render queue only.

import Connections
import Dashboard
import Engine
import Frames
import Glibc
import Terminal
import Transfers
import Workers

/// The program with a screen.
@MainActor
final class ScreenProgram {
  static var running: ScreenProgram?

  let options: Options
  let queue: RenderQueue<TransferID>
  let start: EngineStart
  let screen: CursesScreen
  /// What libraries write to standard error while the screen is open.
  let errors = KeptErrors()
  let input = Descriptor(STDIN_FILENO)
  let clock = EngineClock.system
  var dashboard: Dashboard
  var decoder = KeyDecoder()
  let openedAt = EngineClock.system.now()
  let startedAt = EngineClock.system.wall()
  var permanent: [RenderSource] = []
  var sources: [RenderSource] = []
  var frames = FrameClock()
  var ticking: RenderSource?
  var rateChange: RenderSource?
  var escapeWait: RenderSource?
  var isEnding = false
  /// Whether the terminal was asked how wide a block is and has not answered.
  var isProbing = false

  /// Opens the session and the screen; the main dispatch queue then carries it on.
  static func launch(
    _ options: Options,
    _ encoding: TextEncoding,
    entry: String,
    note: String?
  ) {
    let warnings = ProxyVariables.dropUnusable()
    let links = LinkRequests(options)
    let queue = RenderQueue<TransferID>(gathering: .milliseconds(10)) { running?.follow($0) }
    let begun = begin(options, queue)
    let glyphs = options.isASCII ? Glyphs.ascii : encoding.glyphs
    do throws(ScreenError) {
      let screen = try CursesScreen(
        input: Descriptor(STDIN_FILENO),
        output: Descriptor(STDOUT_FILENO),
        options: ScreenOptions(entry: entry, usesColor: usesColor(options))
      )
      let program = ScreenProgram(options, queue, begun, screen, glyphs)
      running = program
      program.open(links, warnings, note)
    } catch {
      begun.end()
      Program.fail("the terminal cannot be used (\(error)); try TERM=vt100, or winch get", .failed)
    }
  }

  private static func begin(
    _ options: Options,
    _ queue: RenderQueue<TransferID>
  ) -> EngineStart {
    do throws(StartError) {
      return try EngineStart(
        options,
        changed: { queue.post($0) },
        told: { line in queue.post { running?.take(.notice(line)) } }
      )
    } catch {
      Program.fail(error.line)
    }
  }

  private static func usesColor(_ options: Options) -> Bool {
    let choice: Terminal.ColorChoice =
      switch options.color {
      case .auto: .auto
      case .always: .always
      case .never: .never
      }
    return choice.usesColor(noColor: getenv("NO_COLOR").map { String(cString: $0) })
  }

  private init(
    _ options: Options,
    _ queue: RenderQueue<TransferID>,
    _ start: EngineStart,
    _ screen: CursesScreen,
    _ glyphs: Glyphs
  ) {
    self.options = options
    self.queue = queue
    self.start = start
    self.screen = screen
    dashboard = Dashboard(
      size: screen.size,
      glyphs: glyphs,
      settings: Settings(
        version: Program.version,
        jobs: "\(options.jobs) at once",
        home: StateDirectory.home,
        judge: LinkJudge.verdicts(options),
        localTime: EngineClock.system.local
      )
    )
  }

  private func open(_ links: LinkRequests, _ warnings: [String], _ note: String?) {
    let asked = Resumption.enlist(links.requests, start.engine, start.remembered)
    _ = dashboard.update(.loaded(start.engine.all()), now: clock.now())
    take(.clock(clock.wall()))
    take(.limited(start.engine.rateLimit))
    followTimetable()
    for warning in warnings { take(.notice(warning)) }
    if let note { take(.notice(note)) }
    for problem in links.problems { take(.notice(problem)) }
    listen()
    probeWidth()
    paint()
    let unfinished = start.remembered.filter { $0.state == .queued }.map(\.id)
    start.engine.start(unfinished + asked.filter { !unfinished.contains($0) })
  }
}

extension ScreenProgram {
  /// Asks how wide the signs are if they are not ASCII; nobody waits for the answer.
  private func probeWidth() {
    guard dashboard.drawsBlocks else { return }
    isProbing = true
    screen.probeWidth()
  }

  /// Takes a message in, carries its effects out, and sees to the frame.
  func take(_ message: Message) {
    guard !isEnding else { return }
    let effects = dashboard.update(message, now: clock.now())
    for effect in effects { carryOut(effect) }
    keepTime()
  }

  /// Takes the transfers that changed.
  func follow(_ ids: [TransferID]) {
    guard !isEnding else { return }
    var changed: [Transfer] = []
    var removed: [TransferID] = []
    for id in ids {
      if let transfer = start.engine.transfer(id) {
        changed.append(transfer)
      } else {
        removed.append(id)
      }
    }
    if !removed.isEmpty { take(.removed(removed)) }
    if !changed.isEmpty { take(.changed(changed)) }
    paintSoon()
  }

  private func carryOut(_ effect: Effect) {
    let engine = start.engine
    switch effect {
    case .add(let requests): engine.start(engine.add(requests))
    case .pause(let ids): engine.pause(ids)
    case .resume(let ids): engine.resume(ids)
    case .pauseAll: engine.pause(engine.all().filter { !$0.state.isEnded }.map(\.id))
    case .resumeAll(let ids): engine.resume(ids)
    case .limitAll(let timetable):
      engine.rateLimit = timetable
      take(.limited(timetable))
      followTimetable()
    case .limit(let ids, let rate): engine.limit(ids, to: rate)
    case .remove(let ids, let deleteFiles): engine.remove(ids, deleteFiles: deleteFiles)
    case .retry(let ids): engine.resume(ids)
    case .relink(let id, let link):
      if !engine.relink(id, link) { take(.notice("it is complete and needs no new link")) }
    case .requestLog(let id): take(.logged(id, engine.log(of: id)))
    case .redraw: redraw()
    case .suspend: suspend()
    case .quit: end(.done)
    }
  }
}
