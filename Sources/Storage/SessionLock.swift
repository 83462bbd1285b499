// SPDX-License-Identifier: Apache-2.0
//
// SessionLock: one engine for each session directory.
//
// Owns     the kernel's lock on `DIR/lock` (flock(2)), which ends with the process however that
//          ends; the file itself stays and holds the owner's number for people.
// Never    decides by the number: a dead owner never blocks.

internal import Glibc

/// The lock of a session directory; held until the last reference goes.
final class SessionLock {
  private let descriptor: Descriptor

  /// Takes the lock.
  ///
  /// - Parameter path: The lock file; created when missing.
  /// - Throws: `SessionError.heldBy` or `.cannotOpen`.
  init(_ path: String) throws(SessionError) {
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let descriptor = Descriptor(open(path, flags, 0o600))
    else { throw .cannotOpen(path: path, errno: errno) }
    switch descriptor.lock() {
    case .taken: break
    case .held: throw .heldBy(pid: Self.owner(descriptor))
    case .failed(let code): throw .cannotOpen(path: path, errno: code)
    }
    self.descriptor = descriptor
    writeOwner()
  }

  deinit { descriptor.unlock() }

  private func writeOwner() {
    let text = "\(getpid())\n"
    _ = ftruncate(descriptor.number, 0)
    _ = pwrite(descriptor.number, text, text.utf8.count, 0)
  }

  /// The number in the file, once it is that of a living process.
  private static func owner(_ descriptor: borrowing Descriptor) -> Int32 {
    var pid = readOwner(descriptor)
    // Who has just taken the lock needs a moment to write its number over a dead one's.
    for _ in 0..<20 where pid == 0 || (kill(pid, 0) == -1 && errno == ESRCH) {
      usleep(1000)
      pid = readOwner(descriptor)
    }
    return pid
  }

  private static func readOwner(_ descriptor: borrowing Descriptor) -> Int32 {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = pread(descriptor.number, &bytes, bytes.count, 0)
    let digits = bytes.prefix(max(0, count)).prefix { (0x30...0x39).contains($0) }
    return Int32(String(decoding: digits, as: UTF8.self)) ?? 0
  }
}
