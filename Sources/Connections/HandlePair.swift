// SPDX-License-Identifier: Apache-2.0
//
// HandlePair: an easy and a multi handle that stay together, with their kept TCP connections.
//
// Owns     both handles.
// Threads  whoever took it out of the cache; `interrupt` from any thread.

internal import Transfers

// Safety: the cache hands a pair to one run at a time and passes it on under its lock; libcurl
// allows curl_multi_wakeup from every thread, the sockets have a lock of their own, and nothing else
// is called from another thread.
final class HandlePair: @unchecked Sendable {
  let easy = EasyHandle()
  let multi = MultiHandle()
  let userAgent: String
  let netrc: Netrc
  /// What the easy handle's options are set for; nil when they have to be set anew.
  var settled: LastingOptions?
  /// The origins its kept connections lead to.
  var origins: [Origin] = []

  init(userAgent: String, _ netrc: Netrc) {
    self.userAgent = userAgent
    self.netrc = netrc
  }

  /// Ends the sleep of the run that uses it, also one within libcurl.
  func interrupt() {
    multi.hangUp()
  }

  /// Whether a kept connection wants a goodbye, for which libcurl would wait when it needs its room.
  var wantsGoodbye: Bool { origins.contains { !$0.scheme.isHTTP } }
}
