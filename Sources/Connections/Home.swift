// SPDX-License-Identifier: Apache-2.0
//
// Home: what lies in the user's home directory and belongs to logins.
//
// Threads  any; the environment is read, and changed by nobody but the main thread at the start.
// Never    shows what it reads.

internal import Glibc

enum Home {
  /// The path of something in the home directory: `$HOME`, else as the system knows it.
  static func path(_ name: String) -> String {
    if let home = variable("HOME") { return "\(home)/\(name)" }
    guard let user = getpwuid(geteuid()), let home = user.pointee.pw_dir else { return name }
    return "\(String(cString: home))/\(name)"
  }

  /// The name of the user who runs this.
  static var user: String? {
    guard let user = getpwuid(geteuid()), let name = user.pointee.pw_name else { return nil }
    return String(cString: name)
  }

  /// A variable of the environment that is set to something.
  static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Whether netrc has a login for a host, or one for all; libcurl reads it then.
  static func netrcNames(_ host: String) -> Bool {
    let path = variable("NETRC") ?? Home.path(".netrc")
    let words = text(of: path, atMost: 1024 * 1024).split { $0.isWhitespace }
    return words.contains("default")
      || zip(words, words.dropFirst()).contains { $0 == "machine" && $1.lowercased() == host }
  }

  /// The beginning of a file as text; empty when it cannot be read.
  static func text(of path: String, atMost limit: Int) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(descriptor, &bytes, limit)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }
}
