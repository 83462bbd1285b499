// SPDX-License-Identifier: Apache-2.0
//
// ReceiveWindow: how far a server may be ahead of what is read from a connection.
//
// The system lets a server send 64 KiB at once, later megabytes: under a slow limit that is a burst, and
// minutes of it. A narrow window is set before TCP connects, since it cannot be taken back afterwards;
// one that turns out to be narrower than the line is long is widened, to 64 KiB at most, which is all
// that a connection begun so can have.
//
// Owns     nothing: libcurl opens and closes the socket, and no byte comes from one that is closed.
// Threads  the run's own, as all of `Exchange`.

internal import CCurl
internal import Glibc
internal import Transfers

final class ReceiveWindow {
  /// More than this does not fit in a header without scaling (RFC 7323 section 2).
  private static let widest = 65_535
  /// With less than some segments of TCP bytes come in fits and starts.
  private static let least = 2048
  /// Without a pause for so long the window, not the limit, decides how much comes.
  private static let patience = Duration.seconds(1)

  private var bytes: Int
  private var socket: Int32?
  private var pausedAt = Moment.now

  init(_ bytes: ByteCount) {
    self.bytes = Int(bytes.bytes)
  }

  /// Takes the socket that is about to be connected.
  fileprivate func attach(to socket: Int32) {
    self.socket = socket
    pausedAt = .now
    apply()
  }

  /// Notes that reading pauses, so that the window is wide enough.
  func pauses() {
    pausedAt = .now
  }

  /// Widens it when the limit has not made reading pause for a while.
  func reads() {
    guard bytes < 2 * Self.widest, .now - pausedAt > Self.patience else { return }
    bytes = min(2 * Self.widest, 2 * bytes)
    pausedAt = .now
    apply()
  }

  private func apply() {
    guard let socket else { return }
    // The system doubles it, and takes between a half and nearly all of that for a window.
    var buffer = Int32(max(Self.least, bytes / 2))
    let size = socklen_t(MemoryLayout<Int32>.size)
    _ = setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, size)
  }
}

extension EasyHandle {
  /// Gives new connections this window, which must outlive the transfer; none is taken over from
  /// others or left to them (CURLOPT_SOCKOPTFUNCTION).
  func attach(_ window: ReceiveWindow) {
    let context = Unmanaged.passUnretained(window).toOpaque()
    _ = ccurl_set_socket_setup(raw, setUp)
    _ = ccurl_set_pointer(raw, CURLOPT_SOCKOPTDATA, context)
    set(CURLOPT_FRESH_CONNECT, 1)
    set(CURLOPT_FORBID_REUSE, 1)
  }
}

private func setUp(
  _ context: UnsafeMutableRawPointer?,
  _ socket: curl_socket_t,
  _ purpose: curlsocktype
) -> Int32 {
  if let context {
    Unmanaged<ReceiveWindow>.fromOpaque(context).takeUnretainedValue().attach(to: socket)
  }
  return Int32(CURL_SOCKOPT_OK)
}
