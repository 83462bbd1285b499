// SPDX-License-Identifier: Apache-2.0
//
// StorageErrorTests: the table from errno to failure kind, row by row.

import Glibc
import Testing
import Transfers

@testable import Storage

private let kindsByErrno: [(Int32, FailureKind)] = [
  (ENOSPC, .diskFull), (EDQUOT, .diskFull),
  (EACCES, .cannotWrite), (EPERM, .cannotWrite), (EROFS, .cannotWrite), (ETXTBSY, .cannotWrite),
  (EBUSY, .cannotWrite), (EWOULDBLOCK, .cannotWrite),
  (ENOENT, .noDirectory), (ENOTDIR, .noDirectory),
  (ENAMETOOLONG, .nameNotUsable), (EINVAL, .nameNotUsable), (EISDIR, .nameNotUsable),
  (EILSEQ, .nameNotUsable), (ELOOP, .nameNotUsable), (EEXIST, .nameNotUsable),
  (ESTALE, .partialGone),
  (EMFILE, .noDescriptors), (ENFILE, .noDescriptors), (ENOMEM, .unexpected), (EBADF, .unexpected),
  (EFAULT, .unexpected),
  (EIO, .diskFault), (EFBIG, .diskFault), (ENXIO, .diskFault), (ENODEV, .diskFault),
  (4095, .diskFault),
]

@Suite("Errors of the disk")
struct StorageErrorTests {
  @Test("Each errno has its kind", arguments: kindsByErrno)
  func kinds(_ code: Int32, _ kind: FailureKind) {
    let failure = StorageError(code, "/some/file").failure
    #expect(failure.kind == kind)
    #expect(failure.code == Int(code))
    #expect(failure.detail.hasPrefix("/some/file: "))
  }

  @Test("File systems that number files anew are known by their type")
  func inodes() throws {
    #expect(Directory.typesThatNumberAnew.contains(0x2011_BAB0))
    #expect(!Directory.typesThatNumberAnew.contains(0xEF53), "ext4 keeps its inodes")
    let scratch = Scratch()
    #expect(try Directory(scratch.path).keepsInodes)
  }
}
