// SPDX-License-Identifier: Apache-2.0
//
// PartialFile, the beginning: a new file under a free name, or the one of an earlier run.
//
// Holds    O_EXCL decides between creators, the file's lock between sessions, the inode and the
//          single link whether a file found is the one that was left.
// Never    opens a link, a pipe, or a file that another session writes.

internal import Glibc
public import Transfers

/// How many names are tried before there is said to be no free one.
let mostNames = 100_000

extension PartialFile {
  /// Creates `NAME.part` for the first candidate that is free.
  ///
  /// A name is free when neither it nor its `.part` exists, as whatever; links count as existing.
  /// Mode 0666 less the umask.
  ///
  /// - Parameters:
  ///   - path: The directory, which must exist.
  ///   - candidates: The name to try for 0, 1, 2 …: `a.zip`, `a (1).zip`, and so on.
  /// - Returns: The file, empty and locked.
  /// - Throws: `StorageError`: `noDirectory`, `cannotWrite`, `nameNotUsable`, `diskFull`.
  public static func create(
    in path: String,
    candidates: (Int) -> String
  ) throws(StorageError) -> PartialFile {
    try create(in: Directory(path), candidates: candidates)
  }

  static func create(
    in directory: Directory,
    candidates: (Int) -> String
  ) throws(StorageError) -> PartialFile {
    try firstFree(in: directory, candidates) { (name) throws(StorageError) in
      guard let descriptor = try claim(name, in: directory) else { return nil }
      guard let identity = descriptor.status?.identity
      else { throw StorageError(errno, directory.path(of: name)) }
      return PartialFile(name, in: directory, descriptor: descriptor, identity: identity)
    }
  }

  /// Creates and locks `NAME.part`; nil when the name is taken.
  private static func claim(
    _ name: String,
    in directory: Directory
  ) throws(StorageError) -> Descriptor? {
    let partialName = name + FileName.partialSuffix
    guard let descriptor = try directory.create(partialName) else { return nil }
    try takeLock(descriptor, directory.path(of: partialName))
    // Looked at only now, so that nobody can finish under this very name in between.
    guard try directory.status(of: name) == nil else {
      directory.remove(partialName)
      return nil
    }
    return descriptor
  }

  /// Opens the file that an earlier run left.
  ///
  /// When it already has its final name (renamed, but the session could not say so any more) it
  /// gets `.part` back first. The inode decides; the device number does not, because it may change
  /// over a reboot. Where inodes change as well (FAT, FUSE, SMB) the name has to do. So ask the
  /// result for its present `identity`, and compare its `size` with what is claimed.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - name: The name without `.part`.
  ///   - identity: What `identity` was when the file was left.
  ///   - length: The only length that it may have under its final name, where nothing is claimed of
  ///     it: what never got a name may have left its inode to a stranger.
  /// - Returns: The file, locked.
  /// - Throws: `StorageError`: `partialGone` when it is not there or is another file,
  ///   `cannotWrite` with EWOULDBLOCK while another session writes to it, `noDirectory`.
  public static func reopen(
    in path: String,
    name: String,
    identity: FileIdentity,
    finishedOnlyWith length: Int64? = nil
  ) throws(StorageError) -> PartialFile {
    let directory = try Directory(path)
    let partialName = name + FileName.partialSuffix
    if try directory.status(of: partialName) != nil {
      let inode = directory.keepsInodes ? identity.inode : nil
      return try open(partialName, as: name, in: directory, inode: inode)
    }
    let finished = try open(name, as: name, in: directory, inode: identity.inode)
    guard finished.size == length ?? finished.size,
      try finished.directory.move(name, to: partialName)
    else { throw .gone(finished.path, "another file has taken its place") }
    return finished
  }

  /// Opens the file that stands in place of the one an earlier run left.
  ///
  /// Whoever asks has to see from its bytes that it is a copy, before anything is written to it.
  ///
  /// - Parameters:
  ///   - path: The directory.
  ///   - name: The name without `.part`.
  /// - Returns: The file, locked.
  /// - Throws: `StorageError`, as `reopen`.
  public static func openReplacement(
    in path: String,
    name: String
  ) throws(StorageError) -> PartialFile {
    let directory = try Directory(path)
    return try open(name + FileName.partialSuffix, as: name, in: directory, inode: nil)
  }

  private static func open(
    _ entry: String,
    as name: String,
    in directory: Directory,
    inode: UInt64?
  ) throws(StorageError) -> PartialFile {
    let path = directory.path(of: entry)
    guard let descriptor = try directory.openFile(entry), let status = descriptor.status
    else { throw .gone(path, "it is not there any more") }
    guard status.isRegular, status.identity.inode == inode ?? status.identity.inode
    else { throw .gone(path, "another file has taken its place") }
    try takeLock(descriptor, path)
    try dropSecondName(status, name, in: directory)
    // Only now that it is locked, nobody else renames it.
    guard try directory.status(of: entry)?.identity == status.identity,
      descriptor.status?.links == 1
    else { throw .gone(path, "it was moved, or has a second name") }
    return PartialFile(name, in: directory, descriptor: descriptor, identity: status.identity)
  }

  /// Ends a move by link that was cut between its two steps.
  private static func dropSecondName(
    _ status: FileStatus,
    _ name: String,
    in directory: Directory
  ) throws(StorageError) {
    guard status.links == 2, try directory.status(of: name)?.identity == status.identity,
      try directory.status(of: name + FileName.partialSuffix)?.identity == status.identity
    else { return }
    directory.remove(name)
  }

  static func takeLock(
    _ descriptor: borrowing Descriptor,
    _ path: String
  ) throws(StorageError) {
    switch descriptor.lock() {
    case .taken: return
    case .held:
      let words = "another winch is writing to it"
      throw StorageError(
        Failure(.cannotWrite, code: Int(EWOULDBLOCK), detail: "\(path): \(words)")
      )
    // Some network file systems have no locks; they are no reason not to download.
    case .failed(EOPNOTSUPP), .failed(ENOSYS), .failed(ENOLCK), .failed(EINVAL): return
    case .failed(let code): throw StorageError(code, path)
    }
  }
}
