// SPDX-License-Identifier: Apache-2.0
//
// EngineStart: opens the session and puts an engine around it.
//
// Threads  the main thread, once.

import Connections
import Engine
import Frames
import Storage
import Synchronization
import Transfers

/// A session with its engine.
struct EngineStart {
  /// The engine; `shutDown` writes the session.
  let engine: TransferEngine
  /// What the session held at the start, in queue order.
  let remembered: [Transfer]
  /// Connections that are kept for reuse.
  let handles: HandleCache

  /// Opens the session of a command line.
  ///
  /// - Parameters:
  ///   - options: Limits and the session's place.
  ///   - changed: Told that a transfer changed; from any thread.
  ///   - told: Told lines for the user, such as that the session cannot be written; from any thread.
  /// - Throws: `StartError`, whose line says what to do.
  init(
    _ options: Options,
    changed: @escaping @Sendable (TransferID) -> Void,
    told: @escaping @Sendable (String) -> Void
  ) throws(StartError) {
    Curl.initialize()
    let handles = HandleCache(userAgent: "winch/\(Program.version)")
    self.handles = handles
    let settings = EngineSettings(
      jobs: options.jobs,
      rateLimit: options.rateLimit,
      quota: options.quota,
      connect: { BlockingConnection(handles: handles) },
      decode: { CharacterSets.decode($0, from: $1) },
      describe: { Metalink($0).described },
      changed: changed,
      told: { told(Sanitizer.shown($0)) },
      sessionTroubled: { told($0.remedy) }
    )
    do {
      let session = try Session.open(directory: StateDirectory.path(options))
      let contents = try session.contents()
      remembered = contents.transfers
      engine = try TransferEngine(session, contents: contents, settings: settings)
    } catch let error as SessionError {
      throw StartError(line: Sanitizer.shown(error.remedy))
    } catch let failure as Failure {
      throw StartError(line: failure.detail)
    } catch {
      throw StartError(line: "\(error)")
    }
  }

  /// Stops everything and writes the session; blocks until it is on disk.
  func end() {
    engine.shutDown()
    handles.close()
  }
}

/// Why nothing can begin, in one line that says what to do.
struct StartError: Error {
  let line: String
}
