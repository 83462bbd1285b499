// SPDX-License-Identifier: Apache-2.0
//
// Files of a test: read, written and listed whole.

import Glibc

/// The bytes of a file; nil if it cannot be read.
func bytes(_ path: String) -> [UInt8]? {
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { return nil }
  defer { close(file) }
  var result: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(file, &buffer, buffer.count)
    guard count > 0 else { return count == 0 ? result : nil }
    result += buffer[..<count]
  }
}

/// The text of a file; empty if it cannot be read.
func text(_ path: String) -> String { String(decoding: bytes(path) ?? [], as: UTF8.self) }

/// Makes a file with these bytes, or traps.
func writeFile(_ path: String, _ bytes: [UInt8]) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  let count = bytes.isEmpty ? 0 : write(file, bytes, bytes.count)
  precondition(file >= 0 && count == bytes.count, "cannot write \(path)")
  close(file)
}

/// The names in a directory, sorted.
func names(in path: String) -> [String] {
  guard let directory = opendir(path) else { return [] }
  defer { closedir(directory) }
  var names: [String] = []
  while let entry = readdir(directory) {
    let name = withUnsafeBytes(of: entry.pointee.d_name) { raw in
      String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
    }
    if name != "." && name != ".." { names.append(name) }
  }
  return names.sorted()
}

/// When a file was last written, in nanoseconds; nil if there is none.
func lastWrite(_ path: String) -> Int? {
  var facts = stat()
  guard stat(path, &facts) == 0 else { return nil }
  return facts.st_mtim.tv_sec * 1_000_000_000 + facts.st_mtim.tv_nsec
}
