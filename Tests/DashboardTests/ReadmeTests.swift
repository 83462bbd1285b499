// SPDX-License-Identifier: Apache-2.0
//
// What README says about keys is what the help screen says.

import Frames
import Glibc
import Testing

@testable import Dashboard

@Suite struct ReadmeTests {
  @Test func `README shows the keys as the help screen does`() throws {
    let keys = HelpScreen.lines(in: Size(columns: 80, rows: 24)).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    let block = (["```"] + keys + ["```"]).joined(separator: "\n")
    #expect(try readme().contains(block))
  }

  private func readme() throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let file = try #require(fopen("/\(root)/README.md", "r"))
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
