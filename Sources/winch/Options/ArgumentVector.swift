// SPDX-License-Identifier: Apache-2.0
//
// ArgumentVector: the command line, which every user of the machine can read in the process list.
//
// Threads  the main thread, before there are others.
// Holds    a rule that hides too much rather than too little: what is hidden is only for `ps`.

import Glibc
import Transfers

/// The words the program was started with.
enum ArgumentVector {
  /// Takes the words after the program's name, and hides those that may hold a secret from `ps`.
  ///
  /// - Returns: The words as they were.
  ///
  /// Source: `proc(5)`, `/proc/PID/cmdline` is the memory of the words.
  static func take() -> [String] {
    let words = CommandLine.arguments
    for (index, word) in words.enumerated().dropFirst() where mayHoldSecret(word) {
      guard let start = CommandLine.unsafeArgv[index] else { continue }
      memset(start, Int32(UInt8(ascii: "*")), strlen(start))
    }
    return Array(words.dropFirst())
  }

  /// Whether a word may be a header, a link with a login, or one with a secret query.
  static func mayHoldSecret(_ word: String) -> Bool {
    if Scheme.allCases.contains(where: { word.hasPrefix("\($0.rawValue)://") }) {
      return word.contains("@") || SecretQuery.hidden(in: word) != word
    }
    return word.contains(":") || word.contains("?")
  }
}
