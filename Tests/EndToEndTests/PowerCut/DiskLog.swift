// SPDX-License-Identifier: Apache-2.0
//
// DiskLog: what DiskRecorder wrote down of a program, in its true order.

/// One thing that a program did to the disk.
struct DiskChange {
  enum What: UInt64 {
    case create = 1
    case write, truncate, rename, link, unlink, makeDirectory
    /// A sync begins: of a file, of the names in a directory, of all below one.
    case syncFile, syncNames, syncAll
    /// The thread's sync has ended well.
    case synced
    /// A file was made that has no name.
    case createNameless
  }

  let what: What
  let thread: UInt64
  let inode: UInt64
  let offset: Int
  /// A path, or the bytes that were written.
  let first: [UInt8]
  /// The path that a file was moved to.
  let second: [UInt8]

  var path: String { String(decoding: first, as: UTF8.self) }
  var otherPath: String { String(decoding: second, as: UTF8.self) }
}

/// Reads a log; what a killed program did not write to its end is left out.
func diskChanges(_ path: String) -> [DiskChange] {
  let log = bytes(path) ?? []
  var changes: [DiskChange] = []
  var next = 0
  while next + 48 <= log.count {
    let head = (0..<6).map { field in
      log[(next + field * 8)..<(next + field * 8 + 8)].reversed()
        .reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
    let middle = next + 48 + Int(head[4])
    let end = middle + Int(head[5])
    guard end <= log.count, let what = DiskChange.What(rawValue: head[0]) else { break }
    changes.append(
      DiskChange(
        what: what,
        thread: head[1],
        inode: head[2],
        offset: Int(head[3]),
        first: Array(log[(next + 48)..<middle]),
        second: Array(log[middle..<end])
      )
    )
    next = end
  }
  return changes
}
