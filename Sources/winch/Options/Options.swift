// SPDX-License-Identifier: Apache-2.0
//
// Options: what the command line asks for, checked as far as that goes without network and disk.
//
// Holds    links and paths as they were typed; everything else as values of the model.
// Never    reads the environment, opens a file or judges a link.

import Transfers

/// What winch was started for.
enum Command: Hashable, Sendable {
  /// The screen.
  case screen
  /// Fetching without a screen.
  case get
  /// Printing the version.
  case version
  /// Printing help.
  case help
}

/// When colours are used.
enum ColorChoice: String, Hashable, Sendable, CaseIterable {
  /// As terminal and environment say.
  case auto
  /// Always.
  case always
  /// Never.
  case never
}

/// A command line that has been understood.
struct Options: Hashable, Sendable {
  /// What to do.
  var command = Command.screen
  /// The links as typed.
  var links: [String] = []
  /// The directory to save in; empty is the working directory.
  var directory = ""
  /// The name to save under, without a slash; only with exactly one link.
  var name: String?
  /// Connections for each transfer.
  var connections = ConnectionLimit.adaptive
  /// Transfers at once, 1 to 100.
  var jobs = 4
  /// The lists to read, `-` for standard input.
  var lists: [String] = []
  /// Header fields to send.
  var headers: [HeaderField] = []
  /// The file to take cookies from.
  var cookieFile: String?
  /// The digest the file must have; only with exactly one link.
  var checksum: Checksum?
  /// Whether a digest is looked for beside each link.
  var findsChecksum = false
  /// Further links to the same file as typed; only with exactly one link.
  var mirrors: [String] = []
  /// The most bytes per second for all transfers of this run together.
  var rateLimit: Timetable?
  /// The most bytes per second for each transfer.
  var limitEach: ByteRate?
  /// When each transfer starts at the earliest, as written.
  var startAt: StartTime?
  /// When that is.
  var start: WallTime?
  /// The hours in which each transfer may run.
  var hours: DailyHours?
  /// The most bytes to receive on one day, all transfers together.
  var quota: ByteCount?
  /// Which certificates are believed.
  var trust = Trust.system
  /// Where the session is; nil is the default place.
  var stateDirectory: String?
  /// When colours are used.
  var color = ColorChoice.auto
  /// Whether only ASCII is drawn.
  var isASCII = false

  /// The same with each path made absolute.
  ///
  /// - Parameter workingDirectory: The absolute path that relative ones begin at.
  /// - Returns: Options whose paths stay right when the working directory changes.
  func resolved(against workingDirectory: String) -> Options {
    var options = self
    options.directory = Self.path(directory, in: workingDirectory)
    options.stateDirectory = stateDirectory.map { Self.path($0, in: workingDirectory) }
    options.lists = lists.map { $0 == "-" ? $0 : Self.path($0, in: workingDirectory) }
    options.cookieFile = cookieFile.map { Self.path($0, in: workingDirectory) }
    if case .file(let path) = trust { options.trust = .file(Self.path(path, in: workingDirectory)) }
    return options
  }

  /// The same with the time to start at as a point in time.
  ///
  /// - Parameters:
  ///   - now: The present time.
  ///   - local: The user's clock.
  /// - Returns: Options that mean the same whenever they are read.
  func resolved(now: WallTime, local: LocalClock) -> Options {
    var options = self
    options.start = startAt?.resolved(now: now, local: local)
    return options
  }

  /// `path` as seen from `directory`; an absolute path stays.
  static func path(_ path: String, in directory: String) -> String {
    if path.hasPrefix("/") || directory.isEmpty { return path }
    if path.isEmpty { return directory }
    return directory.hasSuffix("/") ? directory + path : directory + "/" + path
  }
}
