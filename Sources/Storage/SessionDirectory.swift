// SPDX-License-Identifier: Apache-2.0
//
// SessionDirectory: where the session's files are, and who may read them.
//
// Holds    the directory is 0700 and its files are 0600, whatever they were before, because they
//          hold logins and cookies.
// Never    changes the mode of a directory that holds other people's or other programs' files.

internal import Glibc

/// The directory of a session.
struct SessionDirectory {
  let path: String

  var database: String { path + "/session.db" }
  var journal: String { database + "-wal" }
  var lock: String { path + "/lock" }
  /// Where a new database is made before it gets its name.
  var draft: String { path + "/session.new" }

  /// Every name the session may make in it.
  private static let ownNames: Set<String> = [
    "session.db", "session.db-wal", "session.db-shm", "session.db-journal", "session.new",
    "session.new-journal", "lock",
  ]

  init(_ path: String) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
  }

  /// Creates the directory and those above it, and closes it to others.
  func prepare() throws(SessionError) {
    try createAll()
    var raw = stat()
    guard stat(path, &raw) == 0 else { throw .cannotOpen(path: path, errno: errno) }
    let status = FileStatus(raw)
    guard status.isDirectory else { throw .cannotOpen(path: path, errno: ENOTDIR) }
    guard status.permissions != 0o700, status.owner == geteuid(), holdsOnlyOurs else { return }
    guard chmod(path, 0o700) == 0 else { throw .cannotOpen(path: path, errno: errno) }
  }

  private func createAll() throws(SessionError) {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      let parent = made + "/"
      made = parent + part
      if mkdir(made, 0o700) == 0 {
        syncNames(in: parent)
        continue
      }
      guard errno != EEXIST else { continue }
      // A directory that may be read but not written answers EROFS or EACCES although it exists.
      let code = errno
      guard access(made, F_OK) == 0 else { throw .cannotOpen(path: made, errno: code) }
    }
  }

  /// Makes a new directory's name durable, as far as the file system lets us.
  private func syncNames(in parent: String) {
    guard let opened = Descriptor(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) else { return }
    _ = fsync(opened.number)
  }

  private var holdsOnlyOurs: Bool {
    guard let stream = opendir(path) else { return false }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
      }
      guard name == "." || name == ".." || Self.ownNames.contains(name) else { return false }
    }
    return true
  }

  /// Closes the session's files to others; SQLite gives the mode of the database to its journals.
  func restrictFiles() throws(SessionError) {
    for file in [lock, database, journal, database + "-shm", database + "-journal"] {
      try restrict(file)
    }
  }

  private func restrict(_ file: String) throws(SessionError) {
    let flags = O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    guard let opened = Descriptor(open(file, flags)), let status = opened.status else {
      if errno == ENOENT { return }
      throw .cannotOpen(path: file, errno: errno)
    }
    guard status.isRegular else { throw .cannotOpen(path: file, errno: EINVAL) }
    guard status.permissions != 0o600 else { return }
    guard fchmod(opened.number, 0o600) == 0 else { throw .cannotOpen(path: file, errno: errno) }
  }

  /// The length of a file; nil when there is none.
  func size(_ file: String) throws(SessionError) -> Int64? {
    var raw = stat()
    if lstat(file, &raw) == 0 { return FileStatus(raw).size }
    guard errno == ENOENT else { throw .cannotOpen(path: file, errno: errno) }
    return nil
  }

  /// Gives the finished draft its name and makes that durable.
  func adoptDraft() throws(SessionError) {
    guard rename(draft, database) == 0 else { throw .cannotOpen(path: database, errno: errno) }
    guard let opened = Descriptor(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      fsync(opened.number) == 0
    else { throw .cannotWrite(path: path, detail: "it cannot be synced") }
  }

  /// Removes what a start that was cut off has left.
  func removeDraft() {
    for file in [draft, draft + "-journal"] { _ = unlink(file) }
  }
}
