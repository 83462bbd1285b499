// SPDX-License-Identifier: Apache-2.0
//
// ConnectionError: why a run ended without a complete body.
//
// Holds    the caller's own decisions apart from what network or server did.
// Never    holds a login: details are masked when they are made.

public import Transfers

/// Why a run ended without a complete body.
public enum ConnectionError: Error, Hashable, Sendable {
  /// `cancel` was called.
  case cancelled
  /// `onHead` answered `.reject`.
  case rejected
  /// `onChunk` answered `.stop`.
  case stopped
  /// Network, server or link were the reason; the failure's code is libcurl's CURLcode.
  case failure(Failure)
}
