// SPDX-License-Identifier: Apache-2.0
//
// NewFile: a name that was free when it was chosen, for a file that is made with its first bytes.
//
// What arrives at once, as small files do, is written into a file without a name, and gets its final
// name when it is on the disk: nothing is left of it before. What takes longer gets `NAME.part`.
//
// Owns     its directory, held open. Any thread.
// Never    keeps the name from other programs: whoever makes the file finds out whether it is still free.

internal import Glibc
internal import Transfers

/// A file that is about to be made.
public struct NewFile: Sendable {
  /// The name it is to have, without `.part`.
  public let name: String
  /// What it was to be called before numbers were tried.
  public let wish: String
  let directory: Directory
  private let release: @Sendable () -> Void

  /// Chooses the first candidate that is free.
  ///
  /// - Parameters:
  ///   - path: The directory, which must exist.
  ///   - reserve: Asked for the path of a name that is free on the disk; nil when somebody else is to
  ///     have it, else what gives it free again; called when the file has a name, or is gone.
  ///   - candidates: As for `PartialFile.create`.
  /// - Throws: `StorageError`: `noDirectory`, `nameNotUsable`.
  public init(
    in path: String,
    reserve: (String) -> (@Sendable () -> Void)? = { _ in {} },
    candidates: (Int) -> String
  ) throws(StorageError) {
    let directory = try Directory(path)
    self.directory = directory
    wish = candidates(0)
    (name, release) = try firstFree(in: directory, candidates) {
      (name) throws(StorageError) -> (String, @Sendable () -> Void)? in
      guard try directory.status(of: name) == nil,
        try directory.status(of: name + FileName.partialSuffix) == nil
      else { return nil }
      return reserve(directory.path(of: name)).map { (name, $0) }
    }
  }

  /// Makes it under `NAME.part`.
  ///
  /// - Parameter candidates: As for `PartialFile.create`, for the case that its name is taken by now.
  /// - Returns: The file, empty and locked.
  /// - Throws: `StorageError`, as `PartialFile.create`.
  public func create(candidates: (Int) -> String) throws(StorageError) -> PartialFile {
    try PartialFile.create(in: directory, candidates: candidates)
  }

  /// Makes it without a name.
  ///
  /// - Parameter isWhole: Whether it is written at once, and needs no name before its last one; else
  ///   `PartialFile.show` gives it `NAME.part`.
  /// - Returns: The file, empty; nil where the file system has no such files.
  /// - Throws: `StorageError`.
  public func createNameless(isWhole: Bool) throws(StorageError) -> PartialFile? {
    guard let descriptor = directory.createNameless() else { return nil }
    guard let identity = descriptor.status?.identity
    else { throw StorageError(EIO, directory.path(of: name)) }
    return PartialFile(
      name,
      in: directory,
      descriptor: descriptor,
      identity: identity,
      birth: isWhole ? .whole : .unnamed,
      wish: wish,
      release: release
    )
  }
}

/// What `attempt` makes of the first candidate that it does not refuse with nil.
func firstFree<R>(
  in directory: Directory,
  _ candidates: (Int) -> String,
  _ attempt: (String) throws(StorageError) -> R?
) throws(StorageError) -> R {
  var last: String?
  for number in 0..<mostNames {
    let name = candidates(number)
    // Whoever has only one name to offer would be asked for ever; what was planned may come twice.
    if number > 1, name == last { break }
    last = name
    if let result = try attempt(name) { return result }
  }
  throw StorageError(EEXIST, directory.path(of: candidates(0)))
}
