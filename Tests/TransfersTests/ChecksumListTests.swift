// SPDX-License-Identifier: Apache-2.0
//
// ChecksumListTests: which digest a list names for a file.

import Testing
import Transfers

private let one = String(repeating: "1f", count: 32)
private let two = String(repeating: "2e", count: 32)

@Suite("Lists of checksums")
struct ChecksumListTests {
  private func found(_ text: String, isOwn: Bool = false) -> String? {
    ChecksumList(Array(text.utf8), .sha256).checksum(of: "a b.iso", isOwn: isOwn)?.hex
  }

  @Test(
    "The line with the name decides, however it is written",
    arguments: [
      "\(two)  other.iso\n\(one)  a b.iso\n", "\(one) *a b.iso",
      "\(one.uppercased())  ./x/a b.iso\r\n",
      "SHA256 (a b.iso) = \(one)", "# note\n\nSHA512 (a b.iso) = 12\nSHA-256(a b.iso)=\(one)\n",
      "\(one)  a b.iso\n\(one)  sub/a b.iso\n",
    ]
  )
  func named(_ text: String) {
    #expect(found(text) == one)
  }

  @Test(
    "No digest, one of another kind, or two for one name are none",
    arguments: [
      "", "<html>\(one)</html>", "\(one)  b.iso", "\(one.dropLast())  a b.iso", "(a b.iso)=",
      "\(one)  a b.iso\n\(two)  a b.iso", ") = (\n\(one)", "MD5 (a b.iso) = \(one)",
    ]
  )
  func none(_ text: String) {
    #expect(found(text) == nil)
  }

  @Test("A digest that stands alone counts only in the file's own list")
  func alone() {
    #expect(found("\(one)\n") == nil)
    #expect(found("\(one)\n", isOwn: true) == one)
    #expect(found("\(one)\n\(two)\n", isOwn: true) == nil)
    #expect(found("\(one)  b.iso\n", isOwn: true) == nil)
  }

  @Test("Bytes that are no text are passed over")
  func bytes() {
    let list = ChecksumList([0xFF, 0xFE, 10] + Array("\(one)  a".utf8), .sha256)
    #expect(list.checksum(of: "a", isOwn: false)?.hex == one)
  }
}
