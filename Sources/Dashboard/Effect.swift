// SPDX-License-Identifier: Apache-2.0
//
// Effect: what the dashboard wants done, for the engine or the terminal.
// Values; carried out by the wiring on the render queue, in the order given.
// Never done by the dashboard itself, which only waits for the message that tells the outcome.

public import Transfers

/// Something the dashboard wants done.
public enum Effect: Hashable, Sendable {
  /// Add these, in this order, at the end of the queue.
  case add([TransferRequest])
  /// Pause these.
  case pause([TransferID])
  /// Resume these paused ones.
  case resume([TransferID])
  /// Pause everything that is queued or active.
  case pauseAll
  /// Resume what `pauseAll` paused and is still paused.
  case resumeAll([TransferID])
  /// Keep everything together below these rates; nil is no limit.
  case limitAll(Timetable?)
  /// Keep each of these below a rate; nil is no limit.
  case limit([TransferID], ByteRate?)
  /// Take these off the list; also delete what is on disk if asked, complete files included.
  case remove([TransferID], deleteFiles: Bool)
  /// Try these failed or waiting ones now.
  case retry([TransferID])
  /// Let this unfinished one go on from another link, with every byte it has.
  case relink(TransferID, Link)
  /// Answer with `Message.logged`.
  case requestLog(TransferID)
  /// Ask the terminal for its size and paint everything anew.
  case redraw
  /// Give the terminal back and stop the process until it is continued.
  case suspend
  /// End; what runs is stopped and stays resumable.
  case quit
}
