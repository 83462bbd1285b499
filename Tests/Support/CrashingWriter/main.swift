// SPDX-License-Identifier: Apache-2.0
//
// CrashingWriter: a program that writes and claims until it is killed; CrashTests kills it.
//
//   CrashingWriter SESSION-DIRECTORY TARGET-DIRECTORY SEED
//
// Holds    the byte at each offset follows from the offset, the queue always has five transfers
//          with consecutive ids, newest first, and only the newest has a file.
// Never    ends or prints by itself: a line and exit status 1 mean that something failed.

import Chance
import Glibc
import Storage
import Transfers

/// The size of the file that is written, over and over.
let fileSize: Int64 = 256 << 10

let mostBlock = 8 << 10

/// The byte that belongs at an offset of a transfer's file; CrashTests has the same formula.
func expectedByte(_ id: TransferID, _ offset: Int64) -> UInt8 {
  UInt8(truncatingIfNeeded: (offset &* 2_654_435_761) >> 13 ^ id.number)
}

func newTransfer(_ id: TransferID, _ directory: String) -> Transfer {
  let origin = Origin(scheme: .https, host: "example.org", port: 443)
  let path = "/data-\(id.number)"
  let link = Link(text: "https://example.org\(path)", origin: origin, path: path, login: nil)
  return Transfer(
    id: id,
    request: TransferRequest(mirrors: [link], directory: directory, name: "data-\(id.number)"),
    addedAt: WallTime(seconds: id.number)
  )
}

/// What is being written.
struct Writer {
  let session: Session
  let directory: String
  var numbers: SplitMix
  var queue: [Transfer]

  /// Carries on where the last one was killed.
  mutating func run() throws {
    if queue.isEmpty { try begin() }
    while true {
      let file = try openFile()
      while queue[0].have.count < fileSize { try step(file) }
      try rotate()
      file.discard()
    }
  }

  /// Five transfers at once, newest first.
  private mutating func begin() throws {
    queue = (0..<5).map { _ in newTransfer(session.takeID(), directory) }.reversed()
    try session.apply(queue.map { .put($0) } + [.order(queue.map(\.id))])
  }

  private mutating func openFile() throws -> PartialFile {
    let name = queue[0].name
    if let identity = queue[0].file {
      return try PartialFile.reopen(in: directory, name: name, identity: identity)
    }
    // Killed before the identity was saved: that file is nobody's.
    _ = unlink("\(directory)/\(name).part")
    let file = try PartialFile.create(in: directory) { $0 == 0 ? name : "\(name) (\($0))" }
    queue[0].file = file.identity
    try session.apply([.put(queue[0])])
    return file
  }

  /// Writes some blocks, then claims them: snapshot, sync, commit.
  private mutating func step(_ file: PartialFile) throws {
    var snapshot = queue[0].have
    for _ in 0..<Int.random(in: 1...8, using: &numbers) {
      guard let range = nextRange(snapshot) else { break }
      let bytes = (range.lower..<range.upper).map { expectedByte(queue[0].id, $0) }
      try bytes.withUnsafeBytes { try file.write($0, at: range.lower) }
      snapshot.insert(range)
    }
    try file.sync()
    queue[0].have = snapshot
    try session.apply([.put(queue[0])])
  }

  /// The beginning of a gap, mostly the first, or the middle of one.
  private mutating func nextRange(_ have: ByteRangeSet) -> ByteRange? {
    guard let gap = have.gaps(in: ByteRange(0, fileSize)).randomElement(using: &numbers)
    else { return nil }
    let jump = Bool.random(using: &numbers) ? 0 : Int64.random(in: 0..<gap.count, using: &numbers)
    let length = Int64.random(in: 1...Int64(mostBlock), using: &numbers)
    return ByteRange(gap.lower + jump, min(gap.upper, gap.lower + jump + length))
  }

  /// The oldest leaves, a new one comes to the front, in one transaction.
  private mutating func rotate() throws {
    let oldest = queue.removeLast()
    queue.insert(newTransfer(session.takeID(), directory), at: 0)
    queue[1].file = nil
    queue[1].have = ByteRangeSet()
    let order = SessionChange.order(queue.map(\.id))
    try session.apply([.put(queue[1]), .put(queue[0]), .remove(oldest.id), order])
  }
}

do {
  let arguments = CommandLine.arguments
  guard arguments.count == 4, let seed = UInt64(arguments[3]) else { exit(2) }
  let session = try Session.open(directory: arguments[1])
  let queue = try session.load()
  var writer = Writer(
    session: session,
    directory: arguments[2],
    numbers: SplitMix(seed: seed),
    queue: queue
  )
  try writer.run()
} catch {
  let line = "CrashingWriter: \(error)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}
