// SPDX-License-Identifier: Apache-2.0
//
// ListSource: the bytes of a list, from a file or from standard input.
//
// Owns     the descriptor of the file it opens; closed before it returns. Blocks until the end.
// Never    keeps more than 64 MiB, so that a wrong file name cannot eat the memory.

import Frames
import Glibc

/// Why a list could not be read.
struct ListError: Error, Hashable, Sendable {
  /// The path as given.
  let path: String
  /// What the system said; EFBIG for a list that is too long.
  let code: Int32

  /// One line for standard error, without the program's name; safe to show.
  var line: String {
    let reason =
      code == EFBIG ? "longer than a list of links can be" : String(cString: strerror(code))
    return "cannot read the list \(Sanitizer.shown(path)): \(reason); give a readable text file"
  }
}

/// Reads whole lists.
enum ListSource {
  /// The most bytes a list may have.
  static let byteLimit = 64 << 20

  /// Reads the list at `path`; `-` is standard input.
  ///
  /// - Parameters:
  ///   - path: A path, or `-`.
  ///   - input: The descriptor behind `-`; stays open.
  /// - Returns: All bytes.
  /// - Throws: `ListError` with the system's code.
  ///
  /// Source: `open(2)`, `read(2)`.
  static func read(_ path: String, standardInput input: Int32 = 0) throws(ListError) -> [UInt8] {
    if path == "-" { return try bytes(of: input, path) }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ListError(path: path, code: errno) }
    defer { close(descriptor) }
    return try bytes(of: descriptor, path)
  }

  private static func bytes(of descriptor: Int32, _ path: String) throws(ListError) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return result }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw ListError(path: path, code: errno) }
      guard result.count + count <= byteLimit else { throw ListError(path: path, code: EFBIG) }
      result += buffer[..<count]
    }
  }
}
