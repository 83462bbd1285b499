// SPDX-License-Identifier: Apache-2.0
//
// Samples: temporary directories, transfers and bytes for the tests of Storage.

import Glibc
import Storage
import Transfers

/// A directory that is removed with everything in it.
final class Scratch {
  let path: String

  init() {
    let template = strdup("/tmp/winch-storage-XXXXXX")
    defer { free(template) }
    path = template.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nonexistent"
  }

  deinit { removeAll(path) }

  func path(_ name: String) -> String { "\(path)/\(name)" }

  /// The names in the directory, sorted.
  var names: [String] { entries(path).sorted() }
}

private func removeAll(_ path: String) {
  if remove(path) == 0 { return }
  for name in entries(path) { removeAll("\(path)/\(name)") }
  remove(path)
}

func entries(_ path: String) -> [String] {
  guard let stream = opendir(path) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
      String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// The bytes of a file, or nil.
func contents(_ path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var raw = stat()
  fstat(descriptor, &raw)
  // An array for no bytes would write into the one that all empty arrays share, a race for tsan.
  guard raw.st_size > 0 else { return [] }
  return [UInt8](unsafeUninitializedCapacity: Int(raw.st_size)) { buffer, count in
    count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
  }
}

/// Writes a file, replacing what is there.
func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o644) {
  let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode)
  defer { close(descriptor) }
  _ = Glibc.write(descriptor, bytes, bytes.count)
}

func exists(_ path: String) -> Bool {
  var raw = stat()
  return lstat(path, &raw) == 0
}

func permissions(_ path: String) -> mode_t {
  var raw = stat()
  return lstat(path, &raw) == 0 ? raw.st_mode & 0o7777 : 0
}

/// `a.bin`, `a (1).bin`, and so on.
func numbered(_ name: String) -> (Int) -> String {
  { $0 == 0 ? name : FileName.numbered(name, $0) }
}

func link(_ path: String, login: Login? = nil) -> Link {
  Link(
    text: "https://example.org:8443" + path + "?q=1",
    origin: Origin(scheme: .https, host: "example.org", port: 8443),
    path: path,
    login: login
  )
}

func transfer(_ number: Int64, state: TransferState = .queued) -> Transfer {
  Transfer(
    id: TransferID(number),
    request: TransferRequest(mirrors: [link("/file-\(number)")], directory: "/downloads"),
    addedAt: WallTime(seconds: 1_700_000_000 + number),
    state: state
  )
}

/// The kind of the failure that `body` throws; nil when it throws none.
func kind(_ body: () throws -> Void) -> FailureKind? {
  do {
    try body()
    return nil
  } catch {
    return (error as? StorageError)?.failure.kind
  }
}

/// Writes bytes into a partial file.
func write(_ bytes: [UInt8], to file: PartialFile, at offset: Int64 = 0) throws {
  try bytes.withUnsafeBytes { try file.write($0, at: offset) }
}
