// SPDX-License-Identifier: Apache-2.0
//
// LastingOptions: what of a request decides about options that the next request may find as they are.
//
// Thousands of small files differ in their links only; setting two dozen options anew for each took
// as long as the half of sending it.

internal import Transfers

/// The options of a handle that do not belong to one request alone.
struct LastingOptions: Equatable {
  private let trust: Trust
  private let connect: Duration
  private let receiveBuffer: ByteCount
  private let hasNetrc: Bool

  /// Nil for requests whose options do not last: those with a cookie file, and all but http.
  init?(_ request: ConnectionRequest, hasNetrc: Bool) {
    guard request.cookieFile == nil, request.link.origin.scheme.isHTTP else { return nil }
    trust = request.trust
    connect = request.timeouts.connect
    receiveBuffer = request.receiveBuffer
    self.hasNetrc = hasNetrc
  }
}
