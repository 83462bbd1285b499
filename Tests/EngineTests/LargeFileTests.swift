// SPDX-License-Identifier: Apache-2.0
//
// LargeFileTests: files of more bytes than 32 bits can count. Most of theirs are holes on disk.

import Connections
import FaultServer
import Glibc
import Storage
import Testing
import Transfers

@testable import Engine

private let large = Content(key: "large", size: (4 << 30) + (3 << 20))
/// What an earlier run has fetched: all but the last MiB.
private let fetched = large.size - (1 << 20)

@Suite struct LargeFileTests {
  @Test func beyondFourGibibytesItGoesOn() throws {
    let scratch = Scratch()
    try leave(in: scratch)
    let bench = try Bench(in: scratch)
    bench.web.answer { Served(large).whole($0) }
    bench.engine.start([TransferID(1)])
    #expect(bench.waitFinished(TransferID(1)))
    #expect(bench.engine.transfer(TransferID(1))?.received == ByteCount(large.size))
    #expect(bench.web.asked.map(\.start) == [fetched])
    #expect(end(scratch.files + "/file") == large.bytes(fetched..<large.size))
  }

  /// Leaves a partial file and its session as an earlier program would.
  private func leave(in scratch: Scratch) throws {
    let file = try PartialFile.create(in: scratch.files) { _ in "file" }
    try file.truncate(to: fetched)
    let answer = Answer(
      name: "file",
      total: ByteCount(large.size),
      validators: Validators(entityTag: Behaviour.tag(large)),
      isResumable: true
    )
    let transfer = Transfer(
      id: TransferID(1),
      request: TransferRequest(
        mirrors: [link("http://one.test/file")],
        directory: scratch.files,
        connections: .fixed(1)
      ),
      addedAt: WallTime(seconds: 0),
      answer: answer,
      file: file.identity,
      have: ByteRangeSet([ByteRange(0, fetched)])
    )
    try Session.open(directory: scratch.state).apply([.put(transfer)])
  }

  /// What stands behind the fetched bytes.
  private func end(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 2 << 20) { buffer, count in
      count = max(0, pread(descriptor, buffer.baseAddress, buffer.count, off_t(fetched)))
    }
  }
}
