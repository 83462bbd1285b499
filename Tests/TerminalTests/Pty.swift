// SPDX-License-Identifier: Apache-2.0
//
// A pseudo terminal inside the test process: the test paints on one end and reads the other.

import CPty
import Frames
import Glibc
import Terminal

/// A pseudo terminal, closed when the test is done with it.
final class Pty {
  let master: Int32
  let slave: Int32

  init(columns: Int = 80, rows: Int = 24) {
    var master: Int32 = -1
    var slave: Int32 = -1
    precondition(cpty_open(&master, &slave, Int32(rows), Int32(columns)) == 0, "no pty")
    self.master = master
    self.slave = slave
  }

  deinit {
    close(master)
    close(slave)
  }

  /// What has been sent to the terminal since the last call.
  func sent() -> [UInt8] {
    switch Descriptor(master).read(limit: 1 << 20) {
    case .bytes(let bytes): bytes
    case .nothing, .ended: []
    }
  }

  /// The same as text.
  func sentText() -> String { String(decoding: sent(), as: UTF8.self) }

  /// The terminal's settings as comparable numbers.
  func settings() -> [UInt32] {
    var settings = termios()
    tcgetattr(slave, &settings)
    let characters = withUnsafeBytes(of: settings.c_cc) { $0.map { UInt32($0) } }
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + characters
  }

  /// A screen on it.
  @MainActor
  func screen(_ entry: String, usesColor: Bool = true) throws -> CursesScreen {
    try CursesScreen(
      input: Descriptor(slave),
      output: Descriptor(slave),
      options: ScreenOptions(entry: entry, usesColor: usesColor)
    )
  }
}
