// SPDX-License-Identifier: Apache-2.0
//
// TransferEngine, limits: how fast all transfers together and each alone may be.
//
// Threads  any; what is changed holds for running connections within a tenth of a second.

public import Transfers
import Workers

extension TransferEngine {
  /// The rate that all transfers share, by the time of the week; nil for no limit.
  public var rateLimit: Timetable? {
    get { timetable.withLock { $0 } }
    set {
      timetable.withLock { $0 = newValue }
      followTimetable()
    }
  }

  /// The shared rate that is in force, nil for none.
  public var rateInForce: ByteRate? { budget.rate }

  /// Limits transfers, each by itself; nil takes the limit away.
  public func limit(_ ids: [TransferID], to rate: ByteRate?) {
    for id in ids {
      let run = table.withLock { table in
        table.update(id) { entry -> TransferRun? in
          entry.transfer.request.rateLimit = rate
          return entry.run
        }
      }
      run??.budget.rate = rate
      recorder.mark(id)
      settings.changed(id)
    }
  }

  /// Puts the rate of this minute in force.
  func followTimetable() {
    let table = timetable.withLock { $0 }
    budget.rate = table?.rate(at: settings.clock.local(settings.clock.wall()))
  }
}
