// SPDX-License-Identifier: Apache-2.0
//
// SessionTests: what is put in comes out, in order, also after the session was closed.

import Glibc
import Storage
import Testing
import Transfers

@Suite("Session: what is remembered")
struct SessionTests {
  private let scratch = Scratch()

  private var state: String { scratch.path("a/b/state") }

  @Test("A new session is empty and private")
  func fresh() throws {
    let session = try Session.open(directory: state)
    #expect(try session.load() == [])
    #expect(session.nextID == TransferID(1))
    try session.apply([.put(transfer(1))])
    #expect(permissions(state) == 0o700)
    #expect(permissions(scratch.path("a")) == 0o700)
    #expect(entries(state).sorted() == ["lock", "session.db", "session.db-shm", "session.db-wal"])
    for name in entries(state) { #expect(permissions("\(state)/\(name)") == 0o600, "\(name)") }
  }

  @Test("Everything about a transfer comes back")
  func everything() throws {
    let full = try fullTransfer()
    try change([.put(full), .put(transfer(2))])
    #expect(try reload() == [full, transfer(2)])
  }

  @Test("What changes while the request stays the same is written too, whole or not at all")
  func progress() throws {
    var moved = transfer(1)
    let other = transfer(2)
    do {
      let session = try Session.open(directory: state)
      try session.apply([.put(moved), .put(other)])
      _ = moved.apply(.started)
      _ = moved.apply(.answered(try fullAnswer()))
      moved.newLink = link("/c")
      moved.file = FileIdentity(device: 1, inode: 2)
      moved.have = ByteRangeSet([ByteRange(0, 10)])
      moved.repair = RepairProgress(pass: 1, offset: 5, replaced: 3)
      try session.apply([.put(moved)])
      _ = moved.apply(.paused(.byUser))
      try session.apply([.put(moved)])
      moved.request.rateLimit = 5
      try session.apply([.put(moved)])
      moved.have = ByteRangeSet([ByteRange(0, 20)])
      try session.apply([.put(moved), .order([other.id])])
    }
    #expect(try reload() == [other, moved])
  }

  @Test("A transfer that was taken out can be put in again")
  func again() throws {
    let first = transfer(1)
    do {
      let session = try Session.open(directory: state)
      try session.apply([.put(first)])
      try session.apply([.remove(first.id)])
      try session.apply([.put(first)])
      try session.apply([.put(first), .remove(first.id)])
      try session.apply([.put(first)])
    }
    #expect(try reload() == [first])
  }

  private func fullTransfer() throws -> Transfer {
    let login = Login(user: "me\t\n", password: "p\\w")
    let request = TransferRequest(
      mirrors: [link("/a", login: login), link("/b")],
      directory: "/down loads/ü",
      name: "chosen.iso",
      connections: .fixed(5),
      checksum: try Checksum(parsing: "md5:900150983cd24fb0d6963f7d28e17f72"),
      findsChecksum: true,
      size: ByteCount(7),
      pieces: PieceDigests(algorithm: .md5, length: 4, digests: Array(0..<32)),
      headers: [try #require(HeaderField(name: "Cookie", value: "a=b; c=\"d\""))],
      rateLimit: 123_456,
      schedule: Schedule(
        start: WallTime(seconds: 1_900_000_000),
        hours: DailyHours(parsing: "23:30-06:00")
      ),
      trust: .file("/etc/ca.pem"),
      cookieFile: "/home/me/cook ies.txt"
    )
    return Transfer(
      id: TransferID(1),
      request: request,
      newLink: link("/c", login: login),
      addedAt: WallTime(seconds: 1_800_000_000),
      state: .failed(Failure(.notFound, code: 404, detail: "gone 'for' good\u{0};")),
      answer: try fullAnswer(),
      file: FileIdentity(device: .max, inode: .max - 1),
      have: ByteRangeSet([ByteRange(0, 10), ByteRange(20, 1 << 40)]),
      repair: RepairProgress(pass: 1, offset: 1 << 41, replaced: 3)
    )
  }

  private func fullAnswer() throws -> Answer {
    Answer(
      name: "名前.iso",
      total: ByteCount(1 << 50),
      validators: Validators(entityTag: "W/\"x\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT"),
      isResumable: true,
      source: "http://h/b",
      announced: Announced(
        checksum: try Checksum(parsing: "md5:00150983cd24fb0d6963f7d28e17f72a"),
        mirrors: [link("/d"), link("/e")],
        document: link("/f.meta4")
      )
    )
  }

  @Test("The bytes of the last day are remembered, and those of one day only")
  func usage() throws {
    let session = try Session.open(directory: state)
    #expect(try session.usage() == nil)
    try session.apply([.use(DayUsage(day: 20_000, received: 5))])
    try session.apply([.use(DayUsage(day: 20_001, received: ByteCount(1 << 50)))])
    #expect(try session.usage() == DayUsage(day: 20_001, received: ByteCount(1 << 50)))
  }

  @Test("Digests of pieces change and go with their transfer")
  func pieces() throws {
    var full = try fullTransfer()
    try change([.put(full), .put(full)])
    full.request.pieces = PieceDigests(algorithm: .sha1, length: 9, digests: Array(1...20))
    try change([.put(full)])
    #expect(try reload() == [full])
    full.request.pieces = nil
    try change([.put(full)])
    #expect(try reload() == [full])
    full.announce { $0.pieces = PieceDigests(algorithm: .sha1, length: 9, digests: Array(3...22)) }
    try change([.put(full)])
    #expect(try reload() == [full])
    full.request.pieces = PieceDigests(algorithm: .md5, length: 9, digests: Array(1...16))
    try change([.put(full), .remove(full.id)])
    try change([
      .put(Transfer(id: full.id, request: full.request.withoutPieces, addedAt: full.addedAt))
    ])
    #expect(try reload().map(\.request.pieces) == [nil])
  }

  @Test("Logs and hosts come back, and a log goes with its transfer")
  func logsAndHosts() throws {
    let lines = [
      LogLine(at: WallTime(seconds: -5), text: "a\tb ü"),
      LogLine(at: WallTime(seconds: 7), text: ""),
    ]
    let origin = Origin(scheme: .https, host: "h", port: 443)
    let known = KnownHost(
      origin: origin,
      connections: 3,
      learntAt: WallTime(seconds: 9),
      heldUntil: nil
    )
    try change([.put(transfer(1)), .put(transfer(2)), .log(TransferID(1), lines)])
    try change([
      .log(TransferID(2), lines), .hosts([known]), .hosts([known]), .remove(TransferID(2)),
    ])
    let contents = try Session.open(directory: state).contents()
    #expect(contents.logs == [TransferID(1): lines])
    #expect(contents.hosts == [known])
    #expect(contents.transfers == [transfer(1)])
    #expect(contents.lastID == 2)
  }

  @Test("A line break in a log stays in its line")
  func lineBreak() throws {
    let line = LogLine(at: WallTime(seconds: 1), text: "a\r\nb")
    try change([.put(transfer(1)), .log(TransferID(1), [line])])
    let found = try Session.open(directory: state).logs()
    #expect(found[TransferID(1)]?.map(\.text) == ["a  b"])
  }

  @Test("An answer with nothing known beyond the name comes back")
  func bareAnswer() throws {
    let bare = Transfer(
      id: TransferID(1),
      request: TransferRequest(mirrors: [link("/a")], directory: "/d", trust: .anything),
      addedAt: WallTime(seconds: 0),
      answer: Answer(name: "a", total: nil, validators: Validators(), isResumable: false)
    )
    try change([.put(bare)])
    #expect(try reload() == [bare])
  }

  @Test("What was under way is queued when it comes back")
  func underWay() throws {
    try change([.put(transfer(1, state: .downloading)), .put(transfer(2, state: .paused(.byUser)))])
    #expect(try reload() == [transfer(1), transfer(2, state: .paused(.byUser))])
  }

  @Test("The queue keeps its order through changes, moves and removals")
  func order() throws {
    try change((1...6).map { .put(transfer($0)) })
    #expect(try reload().map(\.id.number) == [1, 2, 3, 4, 5, 6])
    try change([.put(transfer(2, state: .cancelled)), .order([TransferID(5), TransferID(3)])])
    #expect(try reload().map(\.id.number) == [5, 3, 1, 2, 4, 6])
    try change([.remove(TransferID(1)), .remove(TransferID(99)), .put(transfer(7))])
    #expect(try reload().map(\.id.number) == [5, 3, 2, 4, 6, 7])
    try change([.order([7, 6, 5, 4, 3, 2, 42].map { TransferID($0) })])
    #expect(try reload().map(\.id.number) == [7, 6, 5, 4, 3, 2])
  }

  @Test("An id is never given again, not even after its transfer was removed")
  func ids() throws {
    try change([.put(transfer(1)), .put(transfer(2)), .put(transfer(3))])
    try change([.remove(TransferID(3)), .remove(TransferID(2))])
    let session = try Session.open(directory: state)
    #expect(session.takeID() == TransferID(4))
    #expect(session.takeID() == TransferID(5))
    try session.apply([.put(transfer(9))])
    #expect(session.takeID() == TransferID(10))
  }

  @Test("Ten thousand transfers are one quick transaction, and come back in order")
  func tenThousand() throws {
    let many = (1...10_000).map { transfer($0) }
    let session = try Session.open(directory: state)
    let time = try ContinuousClock().measure { try session.apply(many.map { .put($0) }) }
    // Measured: 0.1 s in a release build, 0.3 s in this one.
    #expect(time < .seconds(10))
    #expect(try session.load() == many)
  }

  @Test("A second one is told who has it, and gets it when the first is gone")
  func held() throws {
    do {
      let first = try Session.open(directory: state)
      let error = #expect(throws: SessionError.self) { try Session.open(directory: state) }
      #expect(error == .heldBy(pid: getpid()))
      #expect(error?.remedy.contains("process \(getpid())") == true)
      #expect(try first.load() == [])
    }
    #expect(throws: Never.self) { try Session.open(directory: state) }
  }

  @Test("A copy of the descriptor in a child that is just being started does not keep the lock")
  func copiedDescriptor() throws {
    var copy: Int32 = -1
    defer { close(copy) }
    do {
      let session = try Session.open(directory: state)
      copy = try #require(copyOfDescriptor(state + "/lock"))
      #expect(try session.load() == [])
    }
    #expect(throws: Never.self) { try Session.open(directory: state) }
  }

  /// Duplicates this process's descriptor of a file, as a fork does.
  private func copyOfDescriptor(_ path: String) -> Int32? {
    var wanted = stat()
    guard lstat(path, &wanted) == 0 else { return nil }
    return (Int32(3)..<1024).first { descriptor in
      var found = stat()
      return fstat(descriptor, &found) == 0 && found.st_ino == wanted.st_ino
        && found.st_dev == wanted.st_dev
    }.map { dup($0) }
  }

  @Test("The number of a dead owner in the lock file blocks nobody")
  func deadOwner() throws {
    try change([])
    write(Array("1\n".utf8), to: state + "/lock")
    #expect(throws: Never.self) { try Session.open(directory: state) }
    #expect(contents(state + "/lock") == Array("\(getpid())\n".utf8))
  }

  @Test("What stood open is closed to others")
  func modes() throws {
    try change([.put(transfer(1))])
    for name in entries(state) { chmod("\(state)/\(name)", 0o666) }
    chmod(state, 0o777)
    try change([])
    #expect(permissions(state) == 0o700)
    for name in entries(state) { #expect(permissions("\(state)/\(name)") == 0o600, "\(name)") }
  }

  @Test("A directory with other things in it keeps its mode; the files are private all the same")
  func sharedDirectory() throws {
    mkdir(scratch.path("shared"), 0o755)
    chmod(scratch.path("shared"), 0o755)
    write([1], to: scratch.path("shared/letter.txt"))
    _ = try Session.open(directory: scratch.path("shared"))
    #expect(permissions(scratch.path("shared")) == 0o755)
    #expect(permissions(scratch.path("shared/session.db")) == 0o600)
  }

  @Test("A link on the way to the directory is followed")
  func linkedDirectory() throws {
    mkdir(scratch.path("real"), 0o700)
    symlink("real", scratch.path("linked"))
    let session = try Session.open(directory: scratch.path("linked/state"))
    try session.apply([.put(transfer(1))])
    #expect(exists(scratch.path("real/state/session.db")))
  }

  /// Opens, changes and closes the session.
  private func change(_ changes: [SessionChange]) throws {
    try Session.open(directory: state).apply(changes)
  }

  private func reload() throws -> [Transfer] {
    try Session.open(directory: state).load()
  }
}

extension TransferRequest {
  fileprivate var withoutPieces: TransferRequest {
    var request = self
    request.pieces = nil
    return request
  }
}
