// SPDX-License-Identifier: Apache-2.0
//
// Tests of ByteCount and ByteRate: the numbers come from servers, so no sum may trap or wrap.

import Testing
import Transfers

@Suite struct `Byte counts and rates` {
  @Test(
    arguments: [
      (1, 2, 3), (0, 0, 0), (Int64.max, 0, Int64.max), (Int64.max, 1, Int64.max),
      (Int64.max - 1, 1, Int64.max), (Int64.max, Int64.max, Int64.max),
    ] as [(Int64, Int64, Int64)]
  )
  func `adding saturates at the largest count`(left: Int64, right: Int64, sum: Int64) {
    #expect(ByteCount(left) + ByteCount(right) == ByteCount(sum))
    var inPlace = ByteCount(left)
    inPlace += ByteCount(right)
    #expect(inPlace.bytes == sum)
  }

  @Test(
    arguments: [
      (5, 3, 2), (3, 5, 0), (0, Int64.max, 0), (Int64.max, Int64.max, 0), (Int64.max, 0, Int64.max),
    ] as [(Int64, Int64, Int64)]
  )
  func `subtracting stops at zero`(left: Int64, right: Int64, difference: Int64) {
    #expect((ByteCount(left) - ByteCount(right)).bytes == difference)
  }

  @Test(arguments: [-1, Int64.min])
  func `a negative number becomes zero`(number: Int64) {
    #expect(ByteCount(number).bytes == 0)
    #expect(ByteCount(integerLiteral: number).bytes == 0)
    #expect(ByteRate(number).bytesPerSecond == 0)
    #expect(ByteRate(integerLiteral: number).bytesPerSecond == 0)
  }

  @Test func `they are ordered by size`() {
    #expect(([3, 1, 2] as [ByteCount]).sorted() == [1, 2, 3])
    #expect(([3, 1, 2] as [ByteRate]).sorted() == [1, 2, 3])
  }
}
