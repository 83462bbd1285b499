// SPDX-License-Identifier: Apache-2.0
//
// Directory: one directory held open, and the operations on names in it.
//
// Owns     its descriptor, so that a directory that is moved meanwhile is still the same one.
// Never    follows a symbolic link that stands in it, and never replaces a file. Any thread.

internal import CFiles
internal import Glibc
internal import Transfers

/// An open directory.
final class Directory: Sendable {
  /// The path it was opened by, for messages.
  let path: String
  private let descriptor: Descriptor

  /// Opens the directory at `path`; symbolic links on the way to it are followed.
  init(_ path: String) throws(StorageError) {
    // O_PATH opens what can be written to but not listed, too.
    guard let descriptor = Descriptor(open(path, WINCH_O_PATH | O_DIRECTORY | O_CLOEXEC))
    else { throw StorageError(errno, path) }
    self.path = path
    self.descriptor = descriptor
  }

  /// The path of `name` in here.
  func path(of name: String) -> String {
    path.hasSuffix("/") ? path + name : "\(path)/\(name)"
  }

  /// What stands under `name`, links not followed; nil when nothing does.
  func status(of name: String) throws(StorageError) -> FileStatus? {
    var raw = stat()
    guard fstatat(descriptor.number, name, &raw, AT_SYMLINK_NOFOLLOW) != 0
    else { return FileStatus(raw) }
    guard errno == ENOENT else { throw StorageError(errno, path(of: name)) }
    return nil
  }

  /// Creates an empty file; nil when the name is taken by anything at all.
  func create(_ name: String) throws(StorageError) -> Descriptor? {
    let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    if let file = Descriptor(openat(descriptor.number, name, flags, 0o666)) { return file }
    guard errno == EEXIST else { throw StorageError(errno, path(of: name)) }
    return nil
  }

  /// Creates an empty file without a name, which is gone with its descriptor unless `link` gives it
  /// one; nil where the file system has no such files (`open(2)`, O_TMPFILE).
  func createNameless() -> Descriptor? {
    guard Self.canLink else { return nil }
    let flags = O_RDWR | WINCH_O_TMPFILE | O_CLOEXEC
    return Descriptor(openat(descriptor.number, ".", flags, 0o666))
  }

  /// Gives a file without a name its name.
  ///
  /// - Returns: Whether it has it; false when the name is taken, and then nothing has changed.
  /// - Throws: `StorageError` for anything else.
  func link(_ file: borrowing Descriptor, to name: String) throws(StorageError) -> Bool {
    let source = Self.descriptors + String(file.number)
    if linkat(AT_FDCWD, source, descriptor.number, name, AT_SYMLINK_FOLLOW) == 0 { return true }
    guard errno == EEXIST else { throw StorageError(errno, path(of: name)) }
    return false
  }

  /// Where an unprivileged program finds files without names (`linkat(2)`, AT_SYMLINK_FOLLOW).
  private static let descriptors = "/proc/self/fd/"
  private static let canLink = access(descriptors, X_OK) == 0

  /// Opens an existing file for reading and writing; nil when there is none or it is a link,
  /// a directory or a pipe.
  func openFile(_ name: String) throws(StorageError) -> Descriptor? {
    // O_NONBLOCK: a pipe in the way must not hold us up.
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
    if let file = Descriptor(openat(descriptor.number, name, flags)) { return file }
    switch errno {
    case ENOENT, ELOOP, EISDIR, ENXIO, ENODEV: return nil
    default: throw StorageError(errno, path(of: name))
    }
  }

  /// Whether a file's inode number is the same after the file system was mounted anew.
  var keepsInodes: Bool {
    var raw = statfs()
    guard fstatfs(descriptor.number, &raw) == 0 else { return true }
    return !Self.typesThatNumberAnew.contains(UInt32(truncatingIfNeeded: raw.f_type))
  }

  /// `f_type` of FAT, exFAT, FUSE, CIFS, SMB2, 9P and VirtualBox folders (`statfs(2)`).
  static let typesThatNumberAnew: Set<UInt32> = [
    0x4D44, 0x2011_BAB0, 0x6573_5546, 0xFF53_4D42, 0xFE53_4D42, 0x0102_1997, 0x786F_4256,
  ]

  /// Takes a name away; what it stood for being gone already is no error.
  func remove(_ name: String) {
    _ = unlinkat(descriptor.number, name, 0)
  }

  /// Makes the names in here durable (`fsync(2)`), as far as the file system lets us.
  func sync() {
    let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC
    guard let readable = Descriptor(openat(descriptor.number, ".", flags)) else { return }
    _ = fsync(readable.number)
  }
}

// Moving without replacing, in the three ways that file systems know.
extension Directory {
  /// Gives a file another name in the same directory.
  ///
  /// - Parameters:
  ///   - from: The name it has.
  ///   - to: The name it shall have.
  /// - Returns: Whether it has it; false when `to` is taken, and then nothing has changed.
  /// - Throws: `StorageError` for anything else.
  func move(_ from: String, to: String) throws(StorageError) -> Bool {
    let directory = descriptor.number
    if renameat2(directory, from, directory, to, WINCH_RENAME_NOREPLACE) == 0 {
      return true
    }
    switch errno {
    case EEXIST: return false
    case ENOSYS, EINVAL, EOPNOTSUPP: return try moveByLink(from, to: to)
    default: throw StorageError(errno, path(of: to))
    }
  }

  /// The same by a second hard link (`link(2)` never replaces): NFS.
  func moveByLink(_ from: String, to: String) throws(StorageError) -> Bool {
    let directory = descriptor.number
    if linkat(directory, from, directory, to, 0) == 0 {
      remove(from)
      return true
    }
    switch errno {
    case EEXIST: return false
    case EPERM, ENOSYS, EOPNOTSUPP, EMLINK: return try moveOntoPlaceholder(from, to: to)
    default: throw StorageError(errno, path(of: to))
    }
  }

  /// The same by reserving the name first and then replacing our own empty file: FUSE and others.
  func moveOntoPlaceholder(_ from: String, to: String) throws(StorageError) -> Bool {
    guard try create(to) != nil else { return false }
    guard renameat(descriptor.number, from, descriptor.number, to) != 0 else { return true }
    let error = StorageError(errno, path(of: to))
    remove(to)
    throw error
  }
}
