// SPDX-License-Identifier: Apache-2.0
//
// MultiHandle: a private libcurl multi handle, which drives one easy handle at a time.
//
// Owns     the handle and the live TCP connections in it.
// Threads  one at a time; only `wakeUp` and `hangUp` may be called from others, while the handle lives.

internal import CCurl

struct MultiHandle: ~Copyable {
  /// Room for the origins of a redirect chain, so that each is kept for the next request.
  private static let keptConnections = 4

  private let raw: UnsafeMutableRawPointer
  /// The sockets of all connections but those of http.
  let sockets = OpenSockets()

  /// Makes a handle; traps when there is no memory for it.
  init() {
    guard let raw = curl_multi_init() else { fatalError("libcurl has no memory for a handle") }
    self.raw = raw
    _ = ccurl_multi_set_long(raw, CURLMOPT_MAXCONNECTS, Self.keptConnections)
  }

  deinit {
    // It would say goodbye to servers of ftp and sftp, and wait for their answers.
    sockets.hangUp()
    curl_multi_cleanup(raw)
  }

  func add(_ easy: borrowing EasyHandle) -> Bool {
    curl_multi_add_handle(raw, easy.raw) == CURLM_OK
  }

  func remove(_ easy: borrowing EasyHandle) {
    curl_multi_remove_handle(raw, easy.raw)
  }

  /// Does what can be done without waiting; callbacks run inside.
  func perform() -> Bool {
    var running: Int32 = 0
    return curl_multi_perform(raw, &running) == CURLM_OK
  }

  /// How the exchange ended, nil while it goes on.
  var result: CURLcode? {
    var queued: Int32 = 0
    while let message = curl_multi_info_read(raw, &queued) {
      if message.pointee.msg == CURLMSG_DONE { return message.pointee.data.result }
    }
    return nil
  }

  /// Sleeps until there is something to do, at most this long.
  func wait(atMost duration: Duration) {
    curl_multi_poll(raw, nil, 0, Int32(clamping: duration.milliseconds), nil)
  }

  /// Ends the current or the next `wait` at once (curl_multi_wakeup(3)).
  func wakeUp() {
    curl_multi_wakeup(raw)
  }

  /// Ends what libcurl waits for within a call, as it does for ftp and sftp, and the next `wait`.
  func hangUp() {
    sockets.hangUp()
    wakeUp()
  }
}
