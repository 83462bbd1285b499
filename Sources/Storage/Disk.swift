// SPDX-License-Identifier: Apache-2.0
//
// Disk: what is to be known of a directory before anything is written to it.
//
// Owns     nothing between calls; any thread. Every call asks the kernel anew.

internal import CFiles
internal import Glibc
public import Transfers

/// One mounted file system; transfers to the same one run out of room together.
public struct FileSystemID: Hashable, Sendable {
  /// The device number (`st_dev`).
  public let device: UInt64

  /// Makes an identity from a device number.
  public init(device: UInt64) {
    self.device = device
  }
}

/// Questions to file systems.
public enum Disk {
  /// The room that is left for this user (`statvfs(3)`, f_bavail).
  ///
  /// - Parameter directory: A directory that exists.
  /// - Returns: The free bytes, and the file system they are on.
  /// - Throws: `StorageError`.
  public static func freeSpace(
    in directory: String
  ) throws(StorageError) -> (free: ByteCount, fileSystem: FileSystemID) {
    var room = statvfs()
    var entry = stat()
    guard statvfs(directory, &room) == 0, stat(directory, &entry) == 0
    else { throw StorageError(errno, directory) }
    let (bytes, overflow) = UInt64(room.f_bavail).multipliedReportingOverflow(
      by: UInt64(room.f_frsize)
    )
    let free = overflow ? Int64.max : Int64(clamping: bytes)
    return (ByteCount(free), FileSystemID(device: UInt64(entry.st_dev)))
  }

  /// Checks that files can be created in a directory.
  ///
  /// - Parameter directory: Its path.
  /// - Throws: `StorageError`: `noDirectory` when it does not exist or is something else,
  ///   `cannotWrite` when the user may not write there.
  public static func checkDirectory(_ directory: String) throws(StorageError) {
    var entry = stat()
    guard stat(directory, &entry) == 0 else { throw StorageError(errno, directory) }
    guard FileStatus(entry).isDirectory else { throw StorageError(ENOTDIR, directory) }
    guard faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) == 0
    else { throw StorageError(errno, directory) }
  }

  /// Whether an ordinary file stands under a path, links not followed.
  ///
  /// - Parameter path: Where.
  /// - Returns: Whether it does; false as well when that cannot be seen.
  public static func isFile(_ path: String) -> Bool {
    var entry = stat()
    return lstat(path, &entry) == 0 && FileStatus(entry).isRegular
  }

  /// Makes everything written to a directory's file system durable, renames too (`syncfs(2)`).
  ///
  /// One call does for any number of small files. Blocks as long as the disk takes.
  ///
  /// - Parameter directory: A directory that can be listed.
  /// - Throws: `StorageError`.
  public static func syncAll(_ directory: String) throws(StorageError) {
    guard let opened = Descriptor(open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      retrying({ Int(syncfs(opened.number)) }) == 0
    else { throw StorageError(errno, directory) }
  }
}
