// SPDX-License-Identifier: Apache-2.0
//
// Subject: what is fed with bytes nobody chose, and what must hold whatever they are.
//
// Never    says what is right, only what must not happen: a crash, a name that leads out of its
//          directory, a session file that was changed although it could not be read.

import Connections
import Glibc
import Storage
import Transfers

@testable import winch

/// A reader of bytes from outside.
enum Subject: String, CaseIterable, Sendable {
  /// A name out of a header and a path.
  case names
  /// The header Content-Disposition.
  case disposition
  /// The header Content-Range.
  case contentRange = "content-range"
  /// The header Link.
  case linkField = "link-field"
  /// A list of links.
  case lists
  /// A Metalink.
  case metalink
  /// A session file.
  case session

  /// Feeds it; traps when something does not hold.
  func take(_ bytes: [UInt8]) {
    switch self {
    case .names: Self.names(bytes)
    case .disposition: Self.check(Self.name(disposition: bytes, path: "/"))
    case .contentRange: Self.contentRange(bytes)
    case .linkField: Self.linkField(bytes)
    case .lists: for entry in LinkList(bytes).entries { Self.check(entry.file) }
    case .metalink: for entry in Metalink(bytes).entries { Self.check(entry.file) }
    case .session: SessionFile.take(bytes)
    }
  }

  /// The header up to the first NUL, and a path behind it.
  private static func names(_ bytes: [UInt8]) {
    let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    let path = parts.count > 1 ? String(decoding: parts[1], as: UTF8.self) : "/"
    let name = name(disposition: Array(parts.first ?? []), path: path)
    check(name)
    for number in [1, 10, 12_345] { check(FileName.numbered(name, number)) }
    FileName.told(path).map(check)
  }

  private static func name(disposition: [UInt8], path: String) -> String {
    FileName.choose(
      userName: nil,
      disposition: disposition,
      redirectDisposition: nil,
      finalPath: path,
      firstPath: path,
      decode: { CharacterSets.decode($0, from: $1) }
    )
  }

  private static func check(_ name: String) {
    precondition((1...250).contains(name.utf8.count), "a name that does not fit")
    precondition(name.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "/") })
    precondition(name.utf8.first != UInt8(ascii: ".") && name.utf8.first != UInt8(ascii: "-"))
  }

  private static func check(_ entry: ListEntry) {
    precondition(!entry.links.isEmpty, "an entry without a link")
    entry.links.forEach(check)
    if let name = entry.name {
      precondition(!["", ".", ".."].contains(name) && !name.utf8.contains(UInt8(ascii: "/")))
    }
    if let size = entry.size, let pieces = entry.pieces { precondition(pieces.fit(size)) }
  }

  private static func check(_ link: Link) {
    precondition(link.text.utf8.allSatisfy { $0 > 32 && $0 != 127 }, "a link with control bytes")
  }

  private static func linkField(_ bytes: [UInt8]) {
    guard let asked = try? Link(parsing: "https://a.example/dir/file") else { return }
    let field = ResponseField(name: "link", value: bytes)
    let found = ResponseHead(status: 200, fields: [field], link: asked).duplicates
    precondition(found.count <= 16 && found.allSatisfy { $0.login == nil && $0 != asked })
    found.forEach(check)
  }

  private static func contentRange(_ bytes: [UInt8]) {
    switch ContentRange(parsing: bytes) {
    case .range(let span, let total):
      precondition(span.lowerBound >= 0)
      if let total { precondition(span.upperBound < total) }
    case .unsatisfied(let total): precondition((total ?? 0) >= 0)
    case .malformed: break
    }
  }
}

/// A session made of given bytes.
private enum SessionFile {
  static func take(_ bytes: [UInt8]) {
    var template = Array("/tmp/winch-fuzz-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { return }
    let directory = String(decoding: template.dropLast().map(UInt8.init), as: UTF8.self)
    let file = directory + "/session.db"
    defer {
      for name in ["session.db", "session.db-wal", "session.db-shm", "lock"] {
        unlink("\(directory)/\(name)")
      }
      rmdir(directory)
    }
    write(bytes, to: file)
    guard let session = try? Session.open(directory: directory) else {
      return precondition(isSame(read(file), bytes), "a file was changed that cannot be read")
    }
    for transfer in (try? session.load()) ?? [] { try? session.apply([.put(transfer)]) }
  }

  /// Equal but for what SQLite's header says about the journal and the last change.
  private static func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).enumerated().allSatisfy { place, pair in
      pair.0 == pair.1 || [18..<20, 24..<28, 92..<100].contains { $0.contains(place) }
    }
  }

  private static func write(_ bytes: [UInt8], to path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    _ = Glibc.write(descriptor, bytes, bytes.count)
    close(descriptor)
  }

  private static func read(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
      count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
    }
  }
}
