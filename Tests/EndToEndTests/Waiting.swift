// SPDX-License-Identifier: Apache-2.0
//
// Waiting for what another process does: a condition is looked at again and again until it holds
// or its time is up. The waiting task gives its thread back, so that tests can wait side by side.

import Dispatch

/// How long a test waits for what must happen before it says that it did not.
let patience = Duration.seconds(30)

/// Looks until a closure gives something.
///
/// - Parameters:
///   - limit: How long.
///   - look: Gives what is waited for, or nil while it is not there.
/// - Returns: What the closure gave, or nil after the limit.
func eventually<Value>(
  within limit: Duration = patience,
  _ look: () throws -> Value?
) async rethrows -> Value? {
  let deadline = ContinuousClock.now + limit
  while true {
    if let value = try look() { return value }
    if ContinuousClock.now >= deadline { return nil }
    await moment()
  }
}

/// Looks until a condition holds; false after the limit.
func eventually(
  within limit: Duration = patience,
  _ holds: () throws -> Bool
) async rethrows -> Bool {
  try await eventually(within: limit) { try holds() ? true : nil } ?? false
}

/// Gives the thread back for the time between two looks.
func moment() async {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(20)) {
      continuation.resume()
    }
  }
}
