// SPDX-License-Identifier: Apache-2.0
//
// Tests of ByteRange and ByteRangeSet; the set is also held against a plain bitmap.

import Chance
import Testing
import Transfers

@Suite struct `Byte ranges` {
  @Test func `the end is not part of a range`() {
    let range = ByteRange(2, 5)
    #expect((0...6).filter { range.contains($0) } == [2, 3, 4])
    #expect(range.count == 3)
    #expect(!range.isEmpty)
  }

  @Test func `an empty range contains nothing`() {
    let range = ByteRange(4, 4)
    #expect(range.isEmpty)
    #expect(range.count == 0)
    #expect(!range.contains(4))
  }

  @Test(
    arguments: [
      (ByteRange(0, 4), ByteRange(2, 6), ByteRange(2, 4)),
      (ByteRange(0, 9), ByteRange(3, 5), ByteRange(3, 5)),
      (ByteRange(0, 4), ByteRange(0, 4), ByteRange(0, 4)),
      (ByteRange(0, 4), ByteRange(4, 8), nil),
      (ByteRange(0, 4), ByteRange(6, 8), nil),
      (ByteRange(0, 4), ByteRange(2, 2), nil),
    ] as [(ByteRange, ByteRange, ByteRange?)]
  )
  func `an intersection holds what is in both`(
    left: ByteRange,
    right: ByteRange,
    both: ByteRange?
  ) {
    #expect(left.intersection(right) == both)
    #expect(right.intersection(left) == both)
  }

  @Test func `a range that runs backward or begins below zero traps`() async {
    await #expect(processExitsWith: .failure) { _ = ByteRange(5, 4) }
    await #expect(processExitsWith: .failure) { _ = ByteRange(-1, 4) }
  }
}

@Suite struct `Sets of byte ranges` {
  @Test(arguments: [
    ("", ByteRange(2, 4), "2-4"),
    ("2-4", ByteRange(4, 6), "2-6"),
    ("2-4", ByteRange(0, 2), "0-4"),
    ("2-4", ByteRange(5, 6), "2-4,5-6"),
    ("2-4,6-8", ByteRange(4, 6), "2-8"),
    ("2-4,6-8", ByteRange(3, 7), "2-8"),
    ("2-4,6-8,10-12", ByteRange(0, 20), "0-20"),
    ("2-8", ByteRange(3, 5), "2-8"),
    ("2-8", ByteRange(9, 9), "2-8"),
  ])
  func `inserting joins what overlaps or touches`(
    before: String,
    added: ByteRange,
    after: String
  ) throws {
    var set = try #require(ByteRangeSet(text: before))
    set.insert(added)
    #expect(set.text == after)
  }

  @Test(arguments: [
    ("2-8", ByteRange(4, 6), "2-4,6-8"),
    ("2-8", ByteRange(0, 4), "4-8"),
    ("2-8", ByteRange(6, 9), "2-6"),
    ("2-8", ByteRange(2, 8), ""),
    ("2-8", ByteRange(8, 9), "2-8"),
    ("2-8", ByteRange(5, 5), "2-8"),
    ("0-2,4-6,8-9", ByteRange(1, 9), "0-1"),
    ("", ByteRange(0, 9), ""),
  ])
  func `removing splits and shortens`(before: String, gone: ByteRange, after: String) throws {
    var set = try #require(ByteRangeSet(text: before))
    set.remove(gone)
    #expect(set.text == after)
  }

  @Test(
    arguments: [
      ("", ByteRange(0, 4), [ByteRange(0, 4)]),
      ("0-4", ByteRange(0, 4), []),
      ("0-9", ByteRange(2, 4), []),
      ("2-4", ByteRange(0, 6), [ByteRange(0, 2), ByteRange(4, 6)]),
      ("0-2,4-9", ByteRange(1, 6), [ByteRange(2, 4)]),
      ("8-9", ByteRange(0, 8), [ByteRange(0, 8)]),
      ("2-4", ByteRange(6, 6), []),
    ] as [(String, ByteRange, [ByteRange])]
  )
  func `gaps are what is missing of the whole`(
    text: String,
    whole: ByteRange,
    gaps: [ByteRange]
  ) throws {
    #expect(try #require(ByteRangeSet(text: text)).gaps(in: whole) == gaps)
  }

  @Test(arguments: [
    (ByteRange(2, 4), true), (ByteRange(3, 3), true), (ByteRange(9, 9), true),
    (ByteRange(2, 5), false), (ByteRange(1, 3), false), (ByteRange(3, 7), false),
  ])
  func `a range is contained when every byte is`(range: ByteRange, isContained: Bool) {
    #expect(ByteRangeSet([ByteRange(6, 8), ByteRange(2, 4)]).contains(range) == isContained)
  }

  @Test(arguments: [
    "1", "1-", "-1", "a-b", "5-5", "6-5", "-1-5", "0-1-2", "0-4,", ",0-4", "0-4,,6-8", " 0-4",
    "0-4, 6-8", "+0-4", "00-4", "6-8,0-4", "0-4,4-8", "0-4,2-8", "0-9223372036854775808",
  ])
  func `text that a set did not write is refused`(text: String) {
    #expect(ByteRangeSet(text: text) == nil)
  }

  @Test(arguments: ["", "0-1", "0-1048576,2097152-3145728", "5-9223372036854775807"])
  func `text makes the round trip`(text: String) throws {
    #expect(try #require(ByteRangeSet(text: text)).text == text)
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `any series of changes agrees with a bitmap`(seed: UInt64) throws {
    var dice = SplitMix(seed: seed)
    var set = ByteRangeSet()
    var bitmap = [Bool](repeating: false, count: 64)
    for _ in 0..<60 {
      let lower = Int.random(in: 0...64, using: &dice)
      let upper = min(64, lower + Int.random(in: 0...12, using: &dice))
      let isAdded = Bool.random(using: &dice)
      let range = ByteRange(Int64(lower), Int64(upper))
      if isAdded { set.insert(range) } else { set.remove(range) }
      for offset in lower..<upper { bitmap[offset] = isAdded }

      #expect(set.ranges == runs(of: true, in: bitmap))
      #expect(set.gaps(in: ByteRange(0, 64)) == runs(of: false, in: bitmap))
      #expect(set.count == Int64(bitmap.count { $0 }))
      #expect(set.isEmpty == !bitmap.contains(true))
      #expect(ByteRangeSet(text: set.text) == set)
      #expect(ByteRangeSet(set.ranges.shuffled(using: &dice)) == set)
    }
  }
}

/// The longest stretches of `bitmap` that hold `value`.
private func runs(of value: Bool, in bitmap: [Bool]) -> [ByteRange] {
  var found: [ByteRange] = []
  var start: Int?
  for (offset, bit) in (bitmap + [!value]).enumerated() {
    if bit == value {
      start = start ?? offset
    } else if let from = start {
      found.append(ByteRange(Int64(from), Int64(offset)))
      start = nil
    }
  }
  return found
}
