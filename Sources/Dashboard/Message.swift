// SPDX-License-Identifier: Apache-2.0
//
// Message: everything the dashboard can be told, from keys to samples.
// Values; made on the render queue by the wiring, which coalesces what the engine posts.
// Never carries a clock: the moment is handed to `Dashboard.update` beside the message.

public import Frames
public import Transfers

/// Something the dashboard is told.
public enum Message: Sendable {
  /// A key was pressed, or text pasted. SIGINT arrives as Ctrl-C.
  case key(Key)
  /// The screen has another size.
  case resized(Size)
  /// The screen is to be drawn with other signs.
  case redrawn(Glyphs)
  /// What the session remembers, in queue order; replaces the whole list.
  case loaded([Transfer])
  /// Transfers that are new or not as before, any number; new ones go to the end of the list.
  case changed([Transfer])
  /// Transfers that are gone.
  case removed([TransferID])
  /// Once a second while something runs, and once when nothing does any more: figures of what
  /// runs, and room on the target disk.
  case sampled([TransferSample], freeSpace: ByteCount?)
  /// At most four times a second between samples: only bars and percents move.
  case bars([TransferSample])
  /// The limit of everything together, at the start and when it is another one.
  case limited(Timetable?)
  /// One line for the user, shown until the next one.
  case notice(String)
  /// The answer to `Effect.requestLog`, oldest line first.
  case logged(TransferID, [LogLine])
  /// The process was stopped and goes on; everything has to be painted again.
  case resumedFromSuspension
  /// The wall clock, at the start and about once a minute: stamps notices, tells today from before,
  /// follows the timetable.
  case clock(WallTime)
}
