// SPDX-License-Identifier: Apache-2.0
//
// StorageError: what the kernel refuses, in the words of the model.
//
// Holds    the one table from errno to failure kind; the failure keeps the errno and names the path.
// Never    decides what happens next: the failure's kind carries the remedy.

internal import Glibc
public import Transfers

/// A file operation that did not work.
public struct StorageError: Error, Hashable, Sendable {
  /// The kind, the errno as code, and `PATH: what the system says` as detail.
  public let failure: Failure

  /// Wraps a failure.
  public init(_ failure: Failure) {
    self.failure = failure
  }

  /// Makes an error from `errno(3)` and the path it is about.
  init(_ code: Int32, _ path: String) {
    let words = strerror(code).map { String(cString: $0) } ?? "error \(code)"
    failure = Failure(FailureKind(errno: code), code: Int(code), detail: "\(path): \(words)")
  }

  /// The file that was ours has been taken away or changed.
  static func gone(_ path: String, _ words: String) -> StorageError {
    StorageError(Failure(.partialGone, detail: "\(path): \(words)"))
  }
}

extension FailureKind {
  /// The kind behind an errno of a file operation; what is not listed is a fault of the disk.
  init(errno code: Int32) {
    self =
      switch code {
      case ENOSPC, EDQUOT: .diskFull
      case EACCES, EPERM, EROFS, ETXTBSY, EBUSY, EWOULDBLOCK: .cannotWrite
      case ENOENT, ENOTDIR: .noDirectory
      case ENAMETOOLONG, EINVAL, EISDIR, EILSEQ, ELOOP, EEXIST: .nameNotUsable
      case ESTALE: .partialGone
      case EMFILE, ENFILE: .noDescriptors
      case ENOMEM, EBADF, EFAULT: .unexpected
      default: .diskFault
      }
  }
}
