// SPDX-License-Identifier: Apache-2.0
//
// ReadmeTests: what README says about the command line is what the program says.

import Testing

@testable import winch

@Suite("README")
struct ReadmeTests {
  @Test("It shows --help as it is")
  func help() throws {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let readme = try String(decoding: ListSource.read("/\(root)/README.md"), as: UTF8.self)
    #expect(readme.contains("```\n\(Help.text)```\n"))
  }
}
