// SPDX-License-Identifier: Apache-2.0
//
// GetProgram: `winch get`, fetching in the foreground without a screen.
//
// Owns     the engine; lines on standard error; the exit status.
// Threads  the render queue. The engine posts changes to it, as to a screen.
// Never    ends with status 0 unless everything that was asked for arrived.

import Connections
import Engine
import Frames
import Glibc
import Storage
import Terminal
import Transfers
import Workers

/// The command without a screen.
@MainActor
final class GetProgram {
  private let start: EngineStart
  private var ids: [TransferID]
  private var output: PlainOutput
  private var sources: [RenderSource] = []
  private let hasProblems: Bool
  /// Whether what was started has ended for now.
  private var hasSettled = false

  private static var running: GetProgram?

  /// Sets the command up; the main dispatch queue then carries it out.
  static func launch(_ options: Options, _ encoding: TextEncoding, note: String?) {
    if let note { Output.error.line("winch: \(note)") }
    for warning in ProxyVariables.dropUnusable() { Output.error.line("winch: \(warning)") }
    let links = LinkRequests(options)
    for problem in links.problems { Output.error.line("winch: \(problem)") }
    if links.requests.isEmpty {
      if links.problems.isEmpty { Output.error.line("winch: there is no link in the list") }
      Program.exit(.usage)
    }
    checkDirectory(options)
    running = GetProgram(options, links, encoding)
  }

  private static func checkDirectory(_ options: Options) {
    do throws(StorageError) {
      try Disk.checkDirectory(options.directory)
    } catch {
      let what = "\(error.failure.short): \(Sanitizer.shown(options.directory))"
      Program.fail("\(what). \(error.failure.advice)", .usage)
    }
  }

  private init(_ options: Options, _ links: LinkRequests, _ encoding: TextEncoding) {
    hasProblems = !links.problems.isEmpty
    let queue = RenderQueue<TransferID>(gathering: .milliseconds(50)) {
      GetProgram.running?.follow($0)
    }
    do throws(StartError) {
      start = try EngineStart(
        options,
        changed: { queue.post($0) },
        told: { line in queue.post { GetProgram.running?.output.tell(line) } }
      )
    } catch {
      Program.fail(error.line)
    }
    let glyphs = options.isASCII ? Glyphs.ascii : encoding.glyphs
    ids = Resumption.enlist(links.requests, start.engine, start.remembered)
    output = PlainOutput(.error, about: ids, glyphs: glyphs, now: EngineClock.system.now())
    let old = Set(start.remembered.map(\.id))
    output.know(ids.filter(old.contains).compactMap { start.engine.transfer($0) })
    listen(queue)
    start.engine.start(ids) { queue.post { GetProgram.running?.settle() } }
  }

  private func listen(_ queue: RenderQueue<TransferID>) {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
      sources.append(queue.onSignal(signal) { GetProgram.running?.end(interrupted: true) })
    }
    sources.append(
      queue.every(.seconds(1), leeway: .milliseconds(100)) { GetProgram.running?.beat() }
    )
  }

  private func follow(_ changed: [TransferID]) {
    adopt()
    let now = EngineClock.system.now()
    output.follow(changed.compactMap { start.engine.transfer($0) }, now: now)
    if hasSettled { endUnlessWaiting() }
  }

  private func settle() {
    adopt()
    hasSettled = true
    endUnlessWaiting()
  }

  /// Takes those that have taken the place of others; what an earlier run has brought of them is there.
  private func adopt() {
    let current = start.engine.current(ids)
    guard current != ids else { return }
    for id in ids {
      let others = start.engine.current([id])
      guard others != [id] else { continue }
      output.replace(id, by: others)
      output.know(others.filter { $0 < id }.compactMap { start.engine.transfer($0) })
    }
    var seen: Set<TransferID> = []
    ids = current.filter { seen.insert($0).inserted }
  }

  /// Ends, unless something goes on by itself when its time has come.
  private func endUnlessWaiting() {
    if start.engine.states(ids).allSatisfy(\.standsStill) { end(interrupted: false) }
  }

  private func beat() {
    output.sample(start.engine.sample(), now: EngineClock.system.now())
  }

  private func end(interrupted: Bool) {
    for source in sources { source.cancel() }
    let states = start.engine.states(ids)
    // The last changes may not have been brought yet.
    if !interrupted, output.isOpen {
      output.follow(ids.compactMap { start.engine.transfer($0) }, now: EngineClock.system.now())
    }
    start.end()
    output.conclude(conclusion(interrupted))
    Program.exit(status(states, interrupted))
  }

  private func conclusion(_ interrupted: Bool) -> String? {
    if interrupted { return "; run the same command again to carry on" }
    return ids.count > 1 ? "" : nil
  }

  private func status(_ states: [TransferState], _ interrupted: Bool) -> ExitStatus {
    if states.allSatisfy(\.isFinished) { return hasProblems ? .usage : .done }
    return interrupted ? .cancelled : .failed
  }
}

extension TransferState {
  /// Whether nothing more happens in this run of the program.
  fileprivate var standsStill: Bool {
    switch self {
    case .paused(.byUser), .paused(.diskFull), .finished, .failed, .cancelled: true
    case .queued, .connecting, .downloading, .stalled, .paused(.scheduled), .waitingForRetry,
      .verifying:
      false
    }
  }
}
