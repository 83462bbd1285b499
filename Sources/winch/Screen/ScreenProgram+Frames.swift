// SPDX-License-Identifier: Apache-2.0
//
// ScreenProgram, frames: when a picture is made and sent.
//
// Rules    a key's effect at once; what the engine posts within a tenth of a second; numbers once a
//          second and bars four times while something runs; nothing at all when nothing changed.

import Dashboard
import Engine
import Frames
import Storage
import Terminal
import Transfers
import Workers

/// When the last frame was sent, and what the next beat brings.
struct FrameClock {
  /// The shortest time between frames that no key asked for.
  static let spacing = Duration.milliseconds(100)
  /// The time between two beats while something runs.
  static let beat = Duration.milliseconds(250)

  var lastFrame = Moment(nanoseconds: .min / 2)
  var isScheduled = false
  var beats = 0
}

extension ScreenProgram {
  /// Sends the picture if it may differ from the last one.
  func paint() {
    guard !isEnding, dashboard.needsFrame || screen.isDirty else { return }
    frames.lastFrame = clock.now()
    switch screen.present(dashboard.draw()) {
    case .painted, .unchanged:
      if dashboard.asksAnew { dropTypedAhead() }
      dashboard.framePresented()
    case .held: paintLater(FrameClock.beat)
    case .gone: break
    }
  }

  /// Sends the picture, but not sooner than a tenth of a second after the last.
  func paintSoon() {
    let since = clock.now() - frames.lastFrame
    if since >= FrameClock.spacing { return paint() }
    paintLater(FrameClock.spacing - since)
  }

  private func paintLater(_ delay: Duration) {
    guard !frames.isScheduled else { return }
    frames.isScheduled = true
    sources.append(
      queue.afterDelay(delay) {
        ScreenProgram.running?.frames.isScheduled = false
        ScreenProgram.running?.paint()
      }
    )
    if sources.count > 32 { sources.removeFirst(16) }
  }

  /// Keeps the frame clock going while something runs, and stops it when nothing does.
  func keepTime() {
    let isBusy = dashboard.activeCount > 0
    if isBusy, ticking == nil {
      ticking = queue.every(FrameClock.beat, leeway: .milliseconds(25)) {
        ScreenProgram.running?.beat()
      }
    } else if !isBusy, let clock = ticking {
      clock.cancel()
      ticking = nil
      sample()
    }
  }

  /// Looks at the clock when another rate of the timetable begins, whether something runs or not.
  func followTimetable() {
    rateChange?.cancel()
    let seconds = start.engine.rateLimit?.secondsToLook(after: clock.wall(), local: clock.local)
    rateChange = seconds.map { seconds in
      queue.afterDelay(.seconds(seconds)) {
        ScreenProgram.running?.lookAtClock()
        ScreenProgram.running?.followTimetable()
      }
    }
  }

  private func lookAtClock() {
    take(.clock(clock.wall()))
    paint()
  }

  private func beat() {
    frames.beats += 1
    if frames.beats % 4 == 0 {
      sample()
    } else {
      take(.bars(start.engine.sample()))
    }
    if frames.beats % 240 == 0 { take(.clock(clock.wall())) }
    paint()
  }

  private func sample() {
    errors?.trim()
    let space = try? Disk.freeSpace(in: options.directory)
    take(.sampled(start.engine.sample(), freeSpace: space?.free))
  }

  /// Paints everything anew at the size the terminal has now.
  func redraw() {
    screen.resize()
    screen.repaint()
    _ = dashboard.update(.resized(screen.size), now: clock.now())
    paint()
  }

  /// Gives the terminal back, stops, and paints again when the process goes on.
  func suspend() {
    takeLateAnswer()
    screen.suspend()
    _ = dashboard.update(.resized(screen.size), now: clock.now())
    take(.resumedFromSuspension)
    paint()
  }
}
