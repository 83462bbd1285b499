// SPDX-License-Identifier: Apache-2.0
//
// OnDisk: what the session of an engine that still runs says on the disk, as after a kill at this moment.

import Glibc
import Storage
import Testing

extension Bench {
  /// Reads a copy of the session.
  ///
  /// - Throws: Also when the copy was made in the middle of a write; look again then.
  func onDisk() throws -> SessionContents {
    let copy = Scratch()
    mkdir(copy.state, 0o700)
    for name in ["session.db", "session.db-wal"] {
      let bytes = contents("\(scratch.state)/\(name)") ?? []
      let file = open("\(copy.state)/\(name)", O_CREAT | O_WRONLY, 0o600)
      defer { close(file) }
      #expect(write(file, bytes, bytes.count) == bytes.count)
    }
    return try Session.open(directory: copy.state).contents()
  }
}
