// SPDX-License-Identifier: Apache-2.0
//
// Netrc: whether there is a file of logins, so that libcurl does not look for it with each request.
//
// Threads  any; it is looked for at most once a second.
// Never    reads it: libcurl does.

internal import Glibc
internal import Transfers
internal import Workers

/// The user's file of logins.
final class Netrc: Sendable {
  private static let patience = Duration.seconds(1)

  /// The path that was asked for (`NETRC`); nil for the usual one.
  let chosenPath = Home.variable("NETRC")
  private let path: String
  private let seen = Monitor((at: Moment(nanoseconds: .min / 2), isThere: false))

  init() {
    path = chosenPath ?? Home.path(".netrc")
  }

  /// Whether it is there, as far as was seen in the last second.
  var isThere: Bool {
    let now = Moment.now
    return seen.withLock { seen in
      if now - seen.at > Self.patience { seen = (now, access(path, F_OK) == 0) }
      return seen.isThere
    }
  }
}
