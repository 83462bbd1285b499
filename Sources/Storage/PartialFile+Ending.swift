// SPDX-License-Identifier: Apache-2.0
//
// PartialFile, the end: it gets its final name, is set aside, or is thrown away.
//
// Holds    whatever happens to it, it happens only while `NAME.part` is the file we write; a file
//          without a name is ours anyway.
// Never    replaces a file: a name that is taken makes it try the next.

internal import Glibc
internal import Transfers

extension PartialFile {
  /// Gives it its final name, in place of `NAME.part` if it had that.
  ///
  /// The name is not yet durable: `syncDirectory()` or `Disk.syncAll` makes it so. Reading goes
  /// on to work through this object.
  ///
  /// - Parameter candidates: As for `create`; asked only when `name` has been taken meanwhile.
  /// - Returns: The name it got.
  /// - Throws: `StorageError`: `partialGone` when it was removed or replaced.
  public func finish(candidates: (Int) -> String) throws(StorageError) -> String {
    try requireStillThere()
    if try move(to: name) { return name }
    return try moveToFirstFree { (number) throws(StorageError) in
      let next = candidates(number)
      // The name of another unfinished transfer is not free.
      return try directory.status(of: next + FileName.partialSuffix) == nil ? next : nil
    }
  }

  /// Renames `NAME.part` to `NAME` with a suffix, for bytes that are not what they should be.
  ///
  /// - Parameter suffix: For example `.bad`.
  /// - Returns: The name it got: `a.zip.bad`, or `a (1).zip.bad` when that is taken.
  /// - Throws: `StorageError`: `partialGone` when it was removed or replaced.
  public func setAside(suffix: String) throws(StorageError) -> String {
    try requireStillThere()
    return try moveToFirstFree { [name] number in
      (number == 0 ? name : FileName.numbered(name, number)) + suffix
    }
  }

  /// Removes `NAME.part`, but only while it is the file we write.
  ///
  /// - Parameter finalName: The name it got from `finish`, when that is to be removed as well.
  public func discard(finishedAs finalName: String? = nil) {
    isDiscarded = true
    release()
    if isStillThere() { directory.remove(partialName) }
    if let finalName, (try? directory.status(of: finalName))?.identity == identity {
      directory.remove(finalName)
    }
  }

  /// Makes the file's name durable after `finish` or `setAside`, as far as the file system can.
  public func syncDirectory() {
    directory.sync()
  }

  private func moveToFirstFree(
    _ names: (Int) throws(StorageError) -> String?
  ) throws(StorageError) -> String {
    for number in 0..<mostNames {
      if let next = try names(number), try move(to: next) { return next }
    }
    throw StorageError(EEXIST, directory.path(of: name))
  }

  /// False when the name is taken.
  private func move(to next: String) throws(StorageError) -> Bool {
    guard isNameless else { return try directory.move(partialName, to: next) }
    defer { release() }
    return try directory.link(descriptor, to: next)
  }

  private func requireStillThere() throws(StorageError) {
    guard isNameless ? !isDiscarded : isStillThere() else {
      throw .gone(path, "it was removed or replaced")
    }
  }
}
