// SPDX-License-Identifier: Apache-2.0
//
// PartialFile: the bytes of an unfinished transfer, in `NAME.part` beside where it will stand; or in
// no name at all until they are complete, when they came all at once.
//
// Owns     one descriptor of the file, one of its directory, and the kernel's lock on the file, so
//          that no second session writes to it. All end with the last reference, and a file that
//          never got a name ends with them.
// Threads  any number may read and write at once: every call names its offset, nothing is shared.
// Never    writes through a link, replaces a file, or touches a file that is no longer ours.

internal import CFiles
internal import Glibc
internal import Synchronization
public import Transfers

/// An unfinished file on disk.
public final class PartialFile: Sendable {
  /// How it comes to its first name.
  enum Birth {
    /// It was made under it.
    case named
    /// `show` gives it `NAME.part` as soon as others know whose it is.
    case unnamed
    /// It is written at once, and gets no name before its last one.
    case whole
  }

  /// Device and inode, which the rename at the end does not change.
  public let identity: FileIdentity

  /// What it was to be called before numbers were tried.
  public let wish: String

  let birth: Birth
  private let plannedName: String
  /// Lets others in this program have the name; may be called more than once.
  let release: @Sendable () -> Void
  private let shown = AtomicLazyReference<ShownName>()

  let directory: Directory
  let descriptor: Descriptor
  private let isNameDurable = Atomic(false)
  private let discarded = Atomic(false)

  init(
    _ name: String,
    in directory: Directory,
    descriptor: consuming Descriptor,
    identity: FileIdentity,
    birth: Birth = .named,
    wish: String? = nil,
    release: @escaping @Sendable () -> Void = {}
  ) {
    plannedName = name
    self.wish = wish ?? name
    self.release = release
    self.identity = identity
    self.directory = directory
    self.descriptor = descriptor
    self.birth = birth
  }

  // What nobody else could find was not locked.
  deinit { if !isNameless { descriptor.unlock() } }

  /// The name it is to have, without `.part`; another one than before once `show` found it taken.
  public var name: String { shown.load()?.text ?? plannedName }

  /// Whether it stands under no name yet.
  public var isNameless: Bool { birth != .named && shown.load() == nil }

  /// Whether it is to get `NAME.part`, and has not got it yet.
  public var waitsForName: Bool { birth == .unnamed && shown.load() == nil && !isDiscarded }

  /// Whether `discard` was called, after which a file without a name gets none.
  public internal(set) var isDiscarded: Bool {
    get { discarded.load(ordering: .sequentiallyConsistent) }
    set { discarded.store(newValue, ordering: .sequentiallyConsistent) }
  }

  /// The name while it is unfinished.
  var partialName: String { name + FileName.partialSuffix }

  /// The directory it stands in, by the path it was opened by.
  public var directoryPath: String { directory.path }

  /// The path while it is unfinished, for messages.
  public var path: String { directory.path(of: partialName) }

  /// The length of the file as the kernel knows it (`fstat(2)`), 0 when it does not say.
  public var size: Int64 { descriptor.status?.size ?? 0 }

  /// Its length and times; nil when the kernel does not say.
  public var stamp: FileStamp? { descriptor.status?.stamp }

  /// The room it takes on the disk (`st_blocks`), with what was reserved, 0 when unknown.
  public var allocated: ByteCount { ByteCount(descriptor.status?.allocated ?? 0) }

  /// Whether `NAME.part` still is the file that is being written.
  ///
  /// False once it was renamed by `finish`, when somebody removed or replaced it, and when it is
  /// nameless.
  public func isStillThere() -> Bool {
    guard let found = try? directory.status(of: partialName) else { return false }
    return found.identity == identity
  }

  /// Reserves room on the disk without changing the length (`fallocate(2)`, KEEP_SIZE).
  ///
  /// - Parameter size: The length the file will have. Where the file system cannot reserve,
  ///   nothing happens.
  /// - Throws: `StorageError`: `diskFull` when there is no room, `diskFault` when the file system
  ///   cannot hold a file of that length.
  public func reserve(_ size: ByteCount) throws(StorageError) {
    guard size > 0 else { return }
    let mode = WINCH_FALLOC_KEEP_SIZE
    let result = retrying { Int(fallocate(descriptor.number, mode, 0, Int(size.bytes))) }
    guard result == -1 else { return }
    switch errno {
    case EOPNOTSUPP, ENOSYS, EINVAL: return
    default: throw StorageError(errno, path)
    }
  }

  /// Writes all of `bytes` at `offset` (`pwrite(2)`).
  ///
  /// - Parameters:
  ///   - bytes: Any number of bytes.
  ///   - offset: Where the first goes, 0 or more; beyond the end leaves a hole.
  /// - Throws: `StorageError`; some of the bytes may have been written.
  public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let next = UnsafeRawBufferPointer(rebasing: rest)
      let position = Int(offset) + rest.startIndex
      let written = retrying { pwrite(descriptor.number, next.baseAddress, next.count, position) }
      guard written > 0 else { throw StorageError(written == 0 ? EIO : errno, path) }
      rest = rest.dropFirst(written)
    }
  }

  /// Reads up to as many bytes as `buffer` holds, from `offset` on (`pread(2)`).
  ///
  /// - Parameters:
  ///   - buffer: Where they go.
  ///   - offset: Where the first comes from, 0 or more.
  /// - Returns: The number read; less than asked only at the end of the file.
  /// - Throws: `StorageError`.
  public func read(
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int64
  ) throws(StorageError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let position = Int(offset) + done
      let count = retrying { pread(descriptor.number, rest.baseAddress, rest.count, position) }
      guard count >= 0 else { throw StorageError(errno, path) }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Lets the kernel begin to write a range to the disk (`sync_file_range(2)`); promises nothing.
  ///
  /// - Parameter range: Bytes that were written and will not soon be written again.
  public func startWriteback(_ range: ByteRange) {
    let flags = WINCH_SYNC_FILE_RANGE_WRITE
    _ = sync_file_range(descriptor.number, Int(range.lower), Int(range.count), flags)
  }

  /// Returns when all bytes written before the call are on the disk (`fdatasync(2)`).
  ///
  /// The first call makes the name in the directory durable as well. Blocks as long as the disk
  /// takes. After an error no byte written since the last success may be claimed.
  ///
  /// - Throws: `StorageError`.
  public func sync() throws(StorageError) {
    guard retrying({ Int(fdatasync(descriptor.number)) }) == 0
    else { throw StorageError(errno, path) }
    guard !isNameDurable.load(ordering: .relaxed) else { return }
    directory.sync()
    isNameDurable.store(true, ordering: .relaxed)
  }

  /// Cuts the file to `length` bytes, or lengthens it by a hole (`ftruncate(2)`).
  ///
  /// - Parameter length: 0 or more. What was reserved beyond it is given back.
  /// - Throws: `StorageError`.
  public func truncate(to length: Int64) throws(StorageError) {
    guard retrying({ Int(ftruncate(descriptor.number, Int(length))) }) == 0
    else { throw StorageError(errno, path) }
  }
}

/// A name that a file got after it was made.
private final class ShownName: Sendable {
  let text: String

  init(_ text: String) {
    self.text = text
  }
}

extension PartialFile {
  /// Gives a file that waits for it `NAME.part`; others are left alone.
  ///
  /// One thread only gives names to files that have none.
  ///
  /// - Parameter candidates: As for `create`.
  /// - Throws: `StorageError`, as `create`; it has no name then.
  public func show(candidates: (Int) -> String) throws(StorageError) {
    guard waitsForName else { return }
    try Self.takeLock(descriptor, path)
    let name = try firstFree(in: directory, candidates) {
      (name) throws(StorageError) -> String? in
      guard try directory.status(of: name) == nil,
        try directory.link(descriptor, to: name + FileName.partialSuffix)
      else { return nil }
      return name
    }
    _ = shown.storeIfNil(ShownName(name))
    release()
    // Whoever discarded it meanwhile did not find it.
    if isDiscarded { directory.remove(partialName) }
  }
}
