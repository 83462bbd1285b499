// SPDX-License-Identifier: Apache-2.0
//
// Child: a process that a test started, with its output in files.
//
// Owns     the process: it is killed and waited for when the test lets go of it.
// Never    hands a descriptor of the test process on to it.

import CPty
import Glibc

/// How a process ended, and what it said.
struct Ending {
  /// The exit code, or minus the number of the signal.
  let code: Int32
  /// Standard output.
  let output: String
  /// Standard error.
  let error: String

  /// The lines of standard error.
  var lines: [Substring] { error.split(separator: "\n") }
}

/// A process that a test started.
final class Child {
  /// Its number.
  let id: pid_t
  private let files: String
  private var code: Int32?

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - command: The path of the program and its arguments.
  ///   - environment: All variables it gets.
  ///   - directory: Where it works.
  ///   - files: The start of the paths that its input and output go to.
  ///   - input: What stands on its standard input.
  init(
    _ command: [String],
    environment: [String: String],
    directory: String,
    files: String,
    input: [UInt8] = []
  ) {
    self.files = files
    writeFile(files + ".in", input)
    id = withCStrings(command) { arguments in
      withCStrings(environment.map { "\($0)=\($1)" }) { variables in
        cpty_start(arguments, variables, directory, files + ".in", files + ".out", files + ".err")
      }
    }
    precondition(id > 0, "\(command[0]) cannot be started: \(String(cString: strerror(errno)))")
  }

  deinit {
    guard code == nil else { return }
    kill(id, SIGKILL)
    waitpid(id, nil, 0)
  }

  /// Waits for the end.
  func ended(within limit: Duration = patience) async -> Ending? {
    await eventually(within: limit) { ending }
  }

  /// What it has written to standard error so far.
  var error: String { text(files + ".err") }

  private var ending: Ending? {
    guard let code = code ?? reap() else { return nil }
    self.code = code
    return Ending(code: code, output: text(files + ".out"), error: error)
  }

  private func reap() -> Int32? {
    var code: Int32 = 0
    return cpty_ended(id, &code) == 1 ? code : nil
  }
}

/// Lends strings as C has them: an array of pointers that ends with a null pointer.
func withCStrings<Result>(
  _ strings: [String],
  _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = strings.map { strdup($0) } + [nil]
  defer { for pointer in pointers { free(pointer) } }
  return pointers.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("an array without storage") }
    return body(start)
  }
}
