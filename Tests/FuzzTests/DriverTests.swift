// SPDX-License-Identifier: Apache-2.0
//
// DriverTests: libFuzzer on one subject; built by `make fuzz` only.
//
// libFuzzer ends the process itself, so one run looks at one subject. A crash leaves its input in
// the folder that FUZZ_FOUND names.

#if FUZZING
import CFuzzer
import Glibc
import Testing

private let subject = getenv("FUZZ").flatMap { Subject(rawValue: String(cString: $0)) }

private func variable(_ name: String) -> String {
  getenv(name).map { String(cString: $0) } ?? ""
}

@Suite("libFuzzer")
struct DriverTests {
  @Test("Runs for FUZZ_SECONDS on the subject FUZZ")
  func run() throws {
    let subject = try #require(subject)
    let words = [
      "fuzz", variable("FUZZ_FOUND"), Seeds.folder(of: subject),
      "-max_total_time=\(variable("FUZZ_SECONDS"))", "-max_len=8192", "-timeout=20",
      "-artifact_prefix=\(variable("FUZZ_FOUND"))/", "-print_final_stats=1",
      "-handle_int=0",
    ]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var count = Int32(words.count)
    arguments.withUnsafeMutableBufferPointer { buffer in
      var start = buffer.baseAddress
      _ = LLVMFuzzerRunDriver(&count, &start) { data, size in
        DriverTests.feed(UnsafeBufferPointer(start: data, count: size))
        return 0
      }
    }
  }

  private static func feed(_ bytes: UnsafeBufferPointer<UInt8>) {
    subject?.take(Array(bytes))
  }
}
#endif
