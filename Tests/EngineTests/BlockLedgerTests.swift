// SPDX-License-Identifier: Apache-2.0
//
// The ledger of blocks: which hashes are made, kept, dropped, and told to the session.

import Storage
import Testing
import Transfers

@testable import Engine

private let mebi = Block.length

private func set(_ lower: Int64, _ upper: Int64) -> ByteRangeSet {
  ByteRangeSet([ByteRange(lower, upper)])
}

@Suite struct BlockLedgerTests {
  private let scratch = Scratch()
  private let file: PartialFile

  init() throws {
    file = try PartialFile.create(in: scratch.files) { _ in "a" }
    try fill(0..<4 * mebi, with: 1)
  }

  private func fill(_ range: Range<Int64>, with byte: UInt8) throws {
    try [UInt8](repeating: byte, count: range.count).withUnsafeBytes {
      try file.write($0, at: range.lowerBound)
    }
  }

  @discardableResult
  private func hash(_ ledger: BlockLedger, _ have: ByteRangeSet, limit: Int = 100) -> Bool {
    ledger.hash(have, of: file, at: ledger.revision, limit: limit)
  }

  private func ranges(_ ledger: BlockLedger) -> [ByteRange] { ledger.blocks.blocks.map(\.range) }

  @Test func aBlockThatGrowsIsHashedAnewAndTheOthersAreNot() throws {
    let ledger = BlockLedger()
    hash(ledger, set(0, mebi + 10))
    ledger.stored(ledger.unstored().blocks)
    // Would be seen if the first block was read again.
    try fill(0..<1, with: 9)
    hash(ledger, set(0, mebi + 20))
    let changes = ledger.unstored().changes
    #expect(changes.put.map(\.range) == [ByteRange(mebi, mebi + 20)])
    #expect(changes.gone.isEmpty)
  }

  @Test func edgesThatMeetBecomeOneBlock() {
    let ledger = BlockLedger()
    hash(ledger, ByteRangeSet([ByteRange(0, 10), ByteRange(20, 30)]))
    ledger.stored(ledger.unstored().blocks)
    hash(ledger, set(0, 30))
    #expect(ledger.unstored().changes.put.map(\.range) == [ByteRange(0, 30)])
    #expect(ledger.unstored().changes.gone == [20])
  }

  @Test func whatIsNotClaimedAnyMoreIsDropped() {
    let ledger = BlockLedger()
    hash(ledger, set(0, 3 * mebi))
    hash(ledger, ByteRangeSet([ByteRange(0, mebi), ByteRange(2 * mebi, 3 * mebi)]))
    #expect(ranges(ledger) == [ByteRange(0, mebi), ByteRange(2 * mebi, 3 * mebi)])
  }

  @Test func aHashOfBytesThatWereGivenUpMeanwhileIsNotTaken() {
    let ledger = BlockLedger()
    let before = ledger.revision
    ledger.audited(ByteRange(0, 5), isRight: false)
    #expect(!ledger.hash(set(0, mebi), of: file, at: before, limit: 100))
    #expect(ledger.blocks.isEmpty)
    #expect(hash(ledger, set(0, mebi)))
    #expect(!ledger.blocks.isEmpty)
  }

  @Test func manyBlocksAreHashedBitByBit() {
    let ledger = BlockLedger()
    #expect(!hash(ledger, set(0, 4 * mebi), limit: 3))
    #expect(ledger.blocks.blocks.count == 3)
    #expect(hash(ledger, set(0, 4 * mebi), limit: 3))
    #expect(ledger.blocks.blocks.count == 4)
  }

  @Test func bytesThatWereNotAuditedAreNotHashedAgain() {
    let wrong = Block(ByteRange(mebi, mebi + 10), hash: 1)
    let ledger = BlockLedger(BlockMap([wrong]))
    #expect(ledger.blocksToAudit(of: set(0, 2 * mebi), all: false) == [wrong])
    hash(ledger, set(0, 3 * mebi))
    #expect(ledger.blocks.blocks[1] == wrong)
    #expect(ranges(ledger) == [ByteRange(0, mebi), wrong.range, ByteRange(2 * mebi, 3 * mebi)])
    ledger.audited(wrong.range, isRight: false)
    hash(ledger, set(0, 3 * mebi))
    #expect(ranges(ledger) == set(0, 3 * mebi).blockRanges)
    #expect(ledger.blocks.blocks[1].hash == ledger.blocks.blocks[0].hash)
  }

  @Test func anAuditThatWasCutGoesOnWhereItStopped() {
    let blocks = [Block(ByteRange(0, mebi), hash: 1), Block(ByteRange(mebi, 2 * mebi), hash: 2)]
    let ledger = BlockLedger(BlockMap(blocks))
    #expect(ledger.blocksToAudit(of: set(0, 2 * mebi), all: false) == blocks)
    ledger.audited(blocks[0].range, isRight: true)
    #expect(ledger.blocksToAudit(of: set(0, 2 * mebi), all: false) == [blocks[1]])
    #expect(ledger.blocksToAudit(of: set(0, 2 * mebi), all: true) == blocks)
    #expect(ledger.blocksToAudit(of: set(0, mebi), all: false) == [blocks[0]])
  }

  @Test func aFileThatIsOverInAMomentChangesNothingInTheSession() {
    let ledger = BlockLedger()
    ledger.forgetAll()
    #expect(ledger.unstored().changes.isEmpty)
  }
}
