// SPDX-License-Identifier: Apache-2.0
//
// ReplayedDisk: a disk as a power cut may leave it, made from what a program did until then.
//
// Holds    what was done before a sync began is there once it has ended. Of everything younger each
//          name and each page of 4 KiB is there or not, as the dice say, and in any combination.
//          A name is made durable by a sync of its directory only, bytes and length by one of the
//          file; a sync of all does both, but only below its own directory.

/// The disk while the log is played.
struct ReplayedDisk {
  private enum BytesChange {
    case write(Int, [UInt8])
    case cut(Int)
  }

  private struct File {
    let inode: UInt64
    let birthplace: String
    var durable: [UInt8] = []
    var pending: [(number: Int, change: BytesChange)] = []
  }

  private struct Sync {
    let number: Int
    let change: DiskChange
  }

  private var files: [File] = []
  private var newest: [UInt64: Int] = [:]
  private var durable: [String: DiskEntry] = [:]
  private var pending: [(number: Int, change: DiskChange, file: Int)] = []
  private var syncs: [UInt64: Sync] = [:]
  private var synced: Set<String> = []
  private var count = 0

  /// A disk with these directories.
  init(directories: [String]) {
    for path in directories { durable[path] = .directory }
  }

  /// Plays the next change.
  mutating func play(_ change: DiskChange) {
    count += 1
    switch change.what {
    case .create:
      make(change)
      pending.append((count, change, files.count - 1))
    case .createNameless: make(change)
    case .link where change.inode != 0:
      if let file = newest[change.inode] { pending.append((count, change, file)) }
    case .write: add(.write(change.offset, change.first), to: change.inode)
    case .truncate: add(.cut(change.offset), to: change.inode)
    case .rename, .link, .unlink, .makeDirectory: pending.append((count, change, -1))
    case .syncFile, .syncNames, .syncAll: syncs[change.thread] = Sync(number: count, change: change)
    case .synced: syncs.removeValue(forKey: change.thread).map { settle($0) }
    }
  }

  private mutating func make(_ change: DiskChange) {
    newest[change.inode] = files.count
    files.append(File(inode: change.inode, birthplace: change.path))
  }

  private mutating func add(_ change: BytesChange, to inode: UInt64) {
    guard let file = newest[inode] else { return }
    files[file].pending.append((count, change))
  }

  private mutating func settle(_ sync: Sync) {
    let path = sync.change.path
    switch sync.change.what {
    case .syncFile:
      synced.insert(path)
      newest[sync.change.inode].map { settleBytes($0, sync.number) }
    case .syncNames:
      settleNames(sync.number) { parent($0) == path }
    case .syncAll:
      for file in files.indices where files[file].birthplace.hasPrefix(path + "/") {
        settleBytes(file, sync.number)
      }
      settleNames(sync.number) { $0.hasPrefix(path + "/") }
    case .create, .createNameless, .write, .truncate, .rename, .link, .unlink, .makeDirectory,
      .synced:
      break
    }
  }

  private mutating func settleBytes(_ file: Int, _ before: Int) {
    let settled = files[file].pending.prefix { $0.number < before }
    for (_, change) in settled { Self.apply(change, to: &files[file].durable) { _ in true } }
    files[file].pending.removeFirst(settled.count)
  }

  private mutating func settleNames(_ before: Int, _ isMeant: (String) -> Bool) {
    for (number, change, file) in pending where number < before && isMeant(change.path) {
      Self.apply(change, file, to: &durable)
    }
    pending.removeAll { $0.number < before && isMeant($0.change.path) }
  }
}

/// The directory that a path stands in.
private func parent(_ path: String) -> String {
  String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
}

extension ReplayedDisk {
  /// The disk after a power cut now.
  ///
  /// - Parameters:
  ///   - odds: How likely each thing that was not synced is there, from 0 to 1.
  ///   - dice: Decides about each.
  /// - Returns: What is found when the power is back.
  func image(_ odds: Double, _ dice: inout some RandomNumberGenerator) -> DiskImage {
    var names = durable
    for (_, change, file) in pending where Double.random(in: 0..<1, using: &dice) < odds {
      Self.apply(change, file, to: &names)
    }
    var contents: [[UInt8]] = []
    for file in files {
      var bytes = file.durable
      for (_, change) in file.pending {
        Self.apply(change, to: &bytes) { _ in Double.random(in: 0..<1, using: &dice) < odds }
      }
      contents.append(bytes)
    }
    return DiskImage(
      entries: names.filter { reaches($0.key, names) },
      contents: contents,
      inodes: files.map(\.inode),
      synced: synced
    )
  }

  /// Whether the directory of a path is there.
  private func reaches(_ path: String, _ names: [String: DiskEntry]) -> Bool {
    durable[path] == .directory || names[parent(path)] == .directory
  }

  private static func apply(
    _ change: DiskChange,
    _ file: Int,
    to names: inout [String: DiskEntry]
  ) {
    switch change.what {
    case .create: names[change.path] = .file(file)
    case .makeDirectory: names[change.path] = .directory
    case .unlink: names[change.path] = nil
    case .link: names[change.otherPath] = file < 0 ? names[change.path] : .file(file)
    case .rename:
      if let moved = names.removeValue(forKey: change.path) { names[change.otherPath] = moved }
    case .createNameless, .write, .truncate, .syncFile, .syncNames, .syncAll, .synced: break
    }
  }

  /// Makes a change, page by page; whoever asks decides which pages.
  private static func apply(
    _ change: BytesChange,
    to bytes: inout [UInt8],
    _ isThere: (Int) -> Bool
  ) {
    switch change {
    case .cut(let length):
      guard isThere(0) else { return }
      if length < bytes.count { bytes.removeLast(bytes.count - length) }
      bytes += [UInt8](repeating: 0, count: length - bytes.count)
    case .write(let offset, let new):
      var start = offset
      while start < offset + new.count {
        let end = min(offset + new.count, (start / 4096 + 1) * 4096)
        if isThere(start / 4096) {
          if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
          bytes.replaceSubrange(start..<end, with: new[(start - offset)..<(end - offset)])
        }
        start = end
      }
    }
  }
}
