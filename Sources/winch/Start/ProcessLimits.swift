// SPDX-License-Identifier: Apache-2.0
//
// ProcessLimits: what the shell sets for a process and would get in the way of many downloads.
//
// Threads  the main thread, before any other is started.

import Glibc

/// Limits of the process.
enum ProcessLimits {
  /// More descriptors than any number of jobs and connections takes.
  private static let enough: rlim_t = 65536

  /// Allows as many descriptors as the system lets us (`getrlimit(2)`, RLIMIT_NOFILE; shells set
  /// 1024), and makes a file that grows beyond its limit an error (EFBIG) in place of an end
  /// (`setrlimit(2)`, RLIMIT_FSIZE).
  static func adjust() {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
    limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, enough))
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
