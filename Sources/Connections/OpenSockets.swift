// SPDX-License-Identifier: Apache-2.0
//
// OpenSockets: the sockets that libcurl has open for one pair of handles.
//
// For ftp and sftp libcurl waits inside a call here and there: for the reply after a file, for TLS
// within a session, for a server's goodbye. Shutting its sockets down ends each of these at once.
//
// Owns     nothing: libcurl opens and closes, this knows which are open meanwhile.
// Threads  any. The lock is held across shutdown(2) and close(2), so that no number is shut down that
//          has become another socket.

internal import CCurl
internal import Glibc
internal import Workers

final class OpenSockets: Sendable {
  private struct State {
    var sockets: Set<Int32> = []
    var isHungUp = false
  }

  private let state = Monitor(State())

  /// Whether none can be spoken through.
  var isEmpty: Bool {
    state.withLock { $0.sockets.isEmpty || $0.isHungUp }
  }

  /// Lets sockets be opened again.
  func begin() {
    state.withLock { $0.isHungUp = false }
  }

  /// Ends all conversations; until `begin` no new one starts.
  func hangUp() {
    state.withLock { state in
      state.isHungUp = true
      for socket in state.sockets { shutdown(socket, Int32(SHUT_RDWR)) }
    }
  }

  fileprivate func open(_ address: curl_sockaddr) -> Int32 {
    state.withLock { state in
      guard !state.isHungUp else { return -1 }
      let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
      let opened = socket(address.family, type, address.protocol)
      if opened >= 0 { state.sockets.insert(opened) }
      return opened
    }
  }

  fileprivate func close(_ socket: Int32) -> Int32 {
    state.withLock { state in
      state.sockets.remove(socket)
      return Glibc.close(socket)
    }
  }
}

extension EasyHandle {
  /// Lets libcurl open and close through `sockets`, which must outlive its connections
  /// (CURLOPT_OPENSOCKETFUNCTION, CURLOPT_CLOSESOCKETFUNCTION).
  func attach(_ sockets: OpenSockets) {
    let context = Unmanaged.passUnretained(sockets).toOpaque()
    _ = ccurl_set_open_socket(raw, openSocket)
    _ = ccurl_set_close_socket(raw, closeSocket)
    _ = ccurl_set_pointer(raw, CURLOPT_OPENSOCKETDATA, context)
    _ = ccurl_set_pointer(raw, CURLOPT_CLOSESOCKETDATA, context)
  }
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?,
  _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> Int32 {
  guard let context, let address else { return -1 }
  return Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().open(address.pointee)
}

private func closeSocket(_ context: UnsafeMutableRawPointer?, _ socket: Int32) -> Int32 {
  guard let context else { return close(socket) }
  return Unmanaged<OpenSockets>.fromOpaque(context).takeUnretainedValue().close(socket)
}
