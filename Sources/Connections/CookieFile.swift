// SPDX-License-Identifier: Apache-2.0
//
// CookieFile: whether a file is one that libcurl can take cookies from, asked before anything begins.
//
// libcurl itself says nothing about a file that is missing or holds something else.
//
// Owns     the descriptor while it looks.
// Never    writes; never keeps or repeats a cookie.

internal import Glibc

/// Why a file gives no cookies.
public enum CookieFileError: Error, Hashable, Sendable {
  /// It cannot be read; the errno.
  case unreadable(Int32)
  /// It is a directory, a pipe or the like, which cannot be read again for each connection.
  case notAFile
  /// There are lines in it, but none is a cookie.
  case notCookies

  /// One line for people, without the path.
  public var line: String {
    switch self {
    case .unreadable(let code):
      "cannot read the cookies: \(String(cString: strerror(code)))"
    case .notAFile:
      "cookies are read from a regular file only"
    case .notCookies:
      "no cookies in Netscape's format here; export them as cookies.txt"
    }
  }
}

/// A file of cookies in Netscape's format.
public enum CookieFile {
  /// More than any browser keeps.
  private static let byteLimit = 64 << 20

  /// Checks a file.
  ///
  /// Blocks until it is read. A file with comments only is good: it has no cookies yet.
  ///
  /// - Parameter path: Its path.
  /// - Throws: `CookieFileError`.
  ///
  /// Source: https://curl.se/docs/http-cookies.html, seven fields between tabs.
  public static func check(_ path: String) throws(CookieFileError) {
    // Opening a pipe would wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .unreadable(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    let lines = try bytes(of: descriptor).split { $0 == 10 || $0 == 13 }.filter(isEntry)
    guard lines.isEmpty || lines.contains(where: isCookie) else { throw .notCookies }
  }

  private static func bytes(of descriptor: Int32) throws(CookieFileError) -> [UInt8] {
    var result: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count == 0 { return result }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .unreadable(errno) }
      guard result.count + count <= byteLimit else { throw .unreadable(EFBIG) }
      result += buffer[..<count]
    }
  }

  /// Neither blank nor a comment.
  private static func isEntry(_ line: ArraySlice<UInt8>) -> Bool {
    guard let first = trimmed(line).first else { return false }
    return first != UInt8(ascii: "#") || line.starts(with: "#HttpOnly_".utf8)
  }

  private static func isCookie(_ line: ArraySlice<UInt8>) -> Bool {
    // A cookie without a value may lack the last tab.
    (6...7).contains(line.split(separator: 9, omittingEmptySubsequences: false).count)
      || line.starts(with: "Set-Cookie:".utf8)
  }
}
