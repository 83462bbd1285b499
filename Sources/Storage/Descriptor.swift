// SPDX-License-Identifier: Apache-2.0
//
// Descriptor: one open file descriptor, closed exactly once.
//
// Owns     the descriptor. The kernel allows any thread to use it, at the same time too.
// Never    is inherited by a child: all are opened with O_CLOEXEC.

internal import Glibc
internal import Transfers

/// An open file descriptor.
struct Descriptor: ~Copyable, Sendable {
  /// The number the kernel gave, 0 or more.
  let number: Int32

  /// Takes over what `open(2)` returned; nil when that failed, with `errno` as it was.
  init?(_ number: Int32) {
    guard number >= 0 else { return nil }
    self.number = number
  }

  deinit {
    // After an error of close the descriptor is gone as well; whoever needs to know has synced.
    _ = close(number)
  }

  /// What `fstat(2)` tells; nil on an error, with `errno` set.
  var status: FileStatus? {
    var raw = stat()
    return fstat(number, &raw) == 0 ? FileStatus(raw) : nil
  }

  /// Asks for the kernel's lock on the file (`flock(2)`), which ends with its owner at the latest.
  func lock() -> LockOutcome {
    guard retrying({ Int(flock(number, LOCK_EX | LOCK_NB)) }) == -1 else { return .taken }
    return errno == EWOULDBLOCK ? .held : .failed(errno)
  }

  /// Gives the lock back at once.
  ///
  /// Closing alone is not enough: a child that is just being started has a copy until its exec.
  func unlock() {
    _ = flock(number, LOCK_UN)
  }
}

/// What became of a request for a lock.
enum LockOutcome {
  /// It is ours until the descriptor is closed.
  case taken
  /// Another descriptor has it.
  case held
  /// This file system has no locks, or another fault: the errno.
  case failed(Int32)
}

/// Length and times of a file (`inode(7)`): equal as long as nobody changed it.
public struct FileStamp: Hashable, Sendable {
  private struct Time: Hashable {
    let seconds: Int
    let nanoseconds: Int

    init(_ raw: timespec) {
      seconds = raw.tv_sec
      nanoseconds = raw.tv_nsec
    }
  }

  private let size: Int64
  private let modified: Time
  private let changed: Time

  init(_ raw: stat) {
    size = Int64(raw.st_size)
    modified = Time(raw.st_mtim)
    changed = Time(raw.st_ctim)
  }
}

/// What winch wants to know of a file.
struct FileStatus: Equatable {
  /// Device and inode.
  let identity: FileIdentity
  /// Length in bytes.
  let size: Int64
  /// What changes when anybody writes to it.
  let stamp: FileStamp
  /// Bytes that it takes on the disk, reserved ones included.
  let allocated: Int64
  /// Number of names.
  let links: Int
  /// Type and permission bits (`inode(7)`).
  let mode: mode_t
  /// The user it belongs to.
  let owner: uid_t

  init(_ raw: stat) {
    identity = FileIdentity(device: UInt64(raw.st_dev), inode: UInt64(raw.st_ino))
    size = Int64(raw.st_size)
    stamp = FileStamp(raw)
    allocated = Int64(raw.st_blocks) * 512
    links = Int(raw.st_nlink)
    mode = raw.st_mode
    owner = raw.st_uid
  }

  /// Whether it is an ordinary file: no link, directory, pipe, socket or device.
  var isRegular: Bool { mode & S_IFMT == S_IFREG }

  /// Whether it is a directory.
  var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

  /// The permission bits alone.
  var permissions: mode_t { mode & 0o7777 }
}

/// Repeats a system call that a signal has interrupted.
///
/// - Parameter call: Returns -1 and sets `errno` when it fails.
/// - Returns: The result of the last try.
func retrying(_ call: () -> Int) -> Int {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}
