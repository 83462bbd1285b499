// SPDX-License-Identifier: Apache-2.0
//
// ConnectionGrowth and FoundDigest.

import Connections
import Testing
import Transfers

@testable import Engine

private func at(_ seconds: Double) -> Moment {
  Moment(nanoseconds: 0) + .seconds(seconds)
}

@Suite struct ConnectionGrowthTests {
  /// The looks, one a second, at which another connection is opened, at these speeds.
  private func opened(at speeds: [Int64], total: Int64? = nil) -> [Int] {
    var growth = ConnectionGrowth()
    var bytes: Int64 = 0
    _ = growth.look(at: at(0), bytes: 0, total: nil)
    var opened: [Int] = []
    for (second, speed) in speeds.enumerated() {
      bytes += speed
      if growth.look(at: at(Double(second + 1)), bytes: bytes, total: total) {
        opened.append(second + 1)
      }
    }
    return opened
  }

  @Test func itGrowsWhileTheSpeedRises() {
    #expect(opened(at: [100, 200, 300, 400]) == [1, 2, 3, 4])
  }

  @Test func itStaysAfterTwoLooksWithoutARise() {
    #expect(opened(at: [100, 101, 102, 900, 900]) == [1])
    #expect(opened(at: [100, 101, 200, 200, 300]) == [1, 3, 5])
  }

  @Test func withoutBytesItDoesNotGrow() {
    #expect(opened(at: [0, 0, 0]) == [])
  }

  @Test func atTheEndItDoesNotGrow() {
    #expect(opened(at: [100, 200, 300], total: 800) == [1])
  }

  @Test func itLooksOnceASecond() {
    var growth = ConnectionGrowth()
    let first = growth.look(at: at(0), bytes: 0, total: nil)
    let early = growth.look(at: at(0.9), bytes: 100, total: nil)
    let due = growth.look(at: at(1), bytes: 100, total: nil)
    #expect(!first && !early && due)
  }
}

@Suite struct FoundDigestTests {
  private func found(_ fields: (String, String)...) -> String? {
    let head = ResponseHead(
      status: 200,
      fields: fields.map { ResponseField($0.0, $0.1) },
      link: link("http://one.test/file")
    )
    return FoundDigest.best(in: head)?.text
  }

  private static let hello = "RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg="
  private static let helloHex = "44aff4ab2d7c3250525675a08f0cfa9591168cffe51791c5f5bbc417c15a6c38"
  private static let other = "X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE="

  @Test func theExamplesOfTheStandardAreRead() {
    // RFC 9530 appendix B.1: {"hello": "world"} and a line feed.
    #expect(found(("repr-digest", "sha-256=:\(Self.hello):")) == "sha-256:" + Self.helloHex)
    #expect(
      found(("repr-digest", "sha-256=:\(Self.other):"))?.hasPrefix("sha-256:5f8f04f6") == true
    )
    #expect(found(("digest", "SHA-256=\(Self.hello)")) == "sha-256:" + Self.helloHex)
  }

  @Test func theStrongestIsTaken() {
    let long = String(repeating: "A", count: 86) + "=="
    let both = "sha-256=:\(Self.hello):, sha-512=:\(long):"
    #expect(found(("repr-digest", both))?.hasPrefix("sha-512:0000") == true)
    #expect(found(("digest", "md5=HUXZLQLMuI/KZ5KDcJPcOA==, sha-256=\(Self.hello)")) != nil)
  }

  @Test(arguments: [
    "", "sha-256", "sha-256=", "sha-256=::", "sha-256=:AAAA:", "sha-256=:!!!!:", "=:AAAA:",
    "md5=:HUXZLQLMuI/KZ5KDcJPcOA==:", "sha=:AAAA:", ",,,", "sha-256=:\(hello.dropLast(4)):",
    "sha-256=\"text\"", "unixsum=30637",
  ])
  func whatIsNotADigestIsNone(text: String) {
    #expect(found(("repr-digest", text)) == nil)
  }

  @Test func theDigestOfOneAnswerIsNotTheFiles() {
    #expect(found(("content-digest", "sha-256=:\(Self.hello):")) == nil)
  }

  @Test func theDigestOfCodedBytesIsNotTheFiles() {
    #expect(
      found(("repr-digest", "sha-256=:\(Self.hello):"), ("content-encoding", "gzip")) == nil
    )
  }
}
