// SPDX-License-Identifier: Apache-2.0
//
// The two C streams ncurses insists on, over duplicates of our descriptors.
// Main actor, closed once by the screen that owns them. Nothing is ever read through them.

import Glibc

/// The two C streams of a screen.
@MainActor
struct ScreenStreams {
  /// For what ncurses sends.
  let output: UnsafeMutablePointer<FILE>
  /// For ncurses to know the input by.
  let input: UnsafeMutablePointer<FILE>

  /// Opens streams on duplicates; nil with errno if a descriptor is bad.
  init?(input: Descriptor, output: Descriptor) {
    guard let out = Self.stream(output, "w") else { return nil }
    guard let into = Self.stream(input, "r") else {
      fclose(out)
      return nil
    }
    self.output = out
    self.input = into
  }

  /// Closes both.
  func close() {
    fclose(output)
    fclose(input)
  }

  private static func stream(
    _ descriptor: Descriptor,
    _ mode: String
  ) -> UnsafeMutablePointer<FILE>? {
    let copy = fcntl(descriptor.number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { return nil }
    guard let stream = fdopen(copy, mode) else {
      Glibc.close(copy)
      return nil
    }
    return stream
  }
}
