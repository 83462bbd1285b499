// SPDX-License-Identifier: Apache-2.0
//
// PrivateFile: a file in a directory of its own, for one test.

import Glibc

/// A file that goes with its directory when the test is done with it.
final class PrivateFile {
  /// The directory, which can be a home.
  let directory: String
  /// The path of the file.
  let path: String

  /// Writes the text.
  init(_ name: String, _ text: String) {
    var template = Array("/tmp/winch-connections-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { preconditionFailure("no directory in /tmp") }
    directory = String(cString: made)
    path = "\(directory)/\(name)"
    let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    defer { close(descriptor) }
    _ = write(descriptor, text, text.utf8.count)
  }

  deinit {
    unlink(path)
    rmdir(directory)
  }
}
