// SPDX-License-Identifier: Apache-2.0
//
// StateDirectory: where the session is.
//
// Source   XDG Base Directory Specification: $XDG_STATE_HOME, else ~/.local/state.

import Glibc

/// The place of the session.
enum StateDirectory {
  /// The directory the options or the environment name, as an absolute path.
  static func path(_ options: Options) -> String {
    if let chosen = options.stateDirectory { return chosen }
    if let home = environment("XDG_STATE_HOME"), home.hasPrefix("/") { return home + "/winch" }
    return self.home + "/.local/state/winch"
  }

  /// The user's home directory.
  static var home: String {
    if let home = environment("HOME"), home.hasPrefix("/") { return home }
    guard let entry = getpwuid(getuid()), let path = entry.pointee.pw_dir else { return "/" }
    return String(cString: path)
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }
}
