// SPDX-License-Identifier: Apache-2.0
//
// Stops the process as if nobody had taken SIGTSTP over.
// Called on the main thread with the terminal given back; it changes the signal's disposition for
// as long as the process is stopped, and puts everything back.

import Glibc

/// Stops the process as Ctrl-Z does.
enum StopSignal {
  /// Stops the process, and returns when it is continued.
  ///
  /// SIGTSTP with its default action is used instead of SIGSTOP: in an orphaned process group,
  /// where nobody could continue us, the system ignores it (signal(7)).
  static func stopHere() {
    var standard = sigaction()
    standard.__sigaction_handler.sa_handler = SIG_DFL
    var before = sigaction()
    sigaction(SIGTSTP, &standard, &before)
    var stop = sigset_t()
    var mask = sigset_t()
    sigemptyset(&stop)
    sigaddset(&stop, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &stop, &mask)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
    sigaction(SIGTSTP, &before, nil)
  }
}
