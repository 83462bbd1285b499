// SPDX-License-Identifier: Apache-2.0
//
// DiskImage: what a power cut left, looked at and put back.

import Glibc
import Storage
import Transfers

/// What stands under a name.
enum DiskEntry: Equatable {
  case directory
  /// A file, by its number.
  case file(Int)
}

/// A disk after a power cut.
struct DiskImage {
  /// By path, all that can be reached.
  let entries: [String: DiskEntry]
  /// The bytes of every file that there ever was.
  let contents: [[UInt8]]
  /// The inode that each of them had.
  let inodes: [UInt64]
  /// The paths of files that had been synced at least once.
  let synced: Set<String>

  /// The number of the file under a path.
  func file(_ path: String) -> Int? {
    if case .file(let number)? = entries[path] { number } else { nil }
  }
}

extension DiskImage {
  /// What the session remembers; nothing when it never got its name.
  func session(_ world: World) throws -> [Transfer] {
    var files: [String: [UInt8]] = [:]
    for path in entries.keys where path.hasPrefix(world.state + "/") && !path.hasSuffix("/lock") {
      files[String(path.dropFirst(world.state.count + 1))] = file(path).map { contents[$0] }
    }
    return try world.session(files).transfers
  }

  /// What is wrong with a transfer as the session claims it; nil when nothing is.
  func problem(_ transfer: Transfer, _ original: Original, _ directory: String) -> String? {
    let path = "\(directory)/\(transfer.name)"
    if transfer.state.isFinished {
      let isWhole = original.isEqual(file(path).map { contents[$0] })
      return isWhole ? nil : "\(transfer.name) is finished, but not whole"
    }
    guard let inode = transfer.file?.inode, !transfer.have.isEmpty else { return nil }
    guard let file = file(path + ".part") ?? file(path), inodes[file] == inode
    else { return "\(transfer.name) is not there" }
    let wrong = transfer.have.ranges.first { !original.agrees(contents[file], in: $0) }
    return wrong.map { "\(transfer.name) lacks \($0)" }
  }

  /// Puts everything back in its place.
  ///
  /// - Returns: Which inode the files have now and had before, for the recorder.
  func write(_ world: World) -> String {
    for directory in [world.state, world.downloads] {
      for name in names(in: directory) { unlink("\(directory)/\(name)") }
    }
    rmdir(world.state)
    var inodes: [String] = []
    for (path, entry) in entries.sorted(by: { $0.key < $1.key }) {
      switch entry {
      case .directory: mkdir(path, 0o700)
      case .file(let file):
        writeFile(path, contents[file])
        var facts = stat()
        stat(path, &facts)
        inodes.append("\(facts.st_ino):\(self.inodes[file])")
      }
    }
    return inodes.joined(separator: ",")
  }
}
