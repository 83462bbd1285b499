// SPDX-License-Identifier: Apache-2.0
//
// SeedTests: everything that is read from outside, fed with kept inputs and with changed ones.
//
// The changes are made by a generator with a fixed seed, so that a failure comes again; `make fuzz`
// looks for new inputs with libFuzzer and keeps what it finds in Seeds.

import Chance
import Glibc
import Testing

@Suite("Bytes from outside")
struct SeedTests {
  @Test("What was kept breaks nothing", arguments: Subject.allCases)
  func kept(_ subject: Subject) {
    let seeds = Seeds.all(of: subject)
    #expect(!seeds.isEmpty)
    for seed in seeds { subject.take(seed) }
  }

  @Test("What is changed, cut or glued breaks nothing", arguments: Subject.allCases)
  func changed(_ subject: Subject) {
    let seeds = Seeds.all(of: subject)
    var chance = SplitMix(seed: 0x77_69_6E_63_68)
    let rounds = subject == .session ? 40 : 2000
    for _ in 0..<rounds {
      guard let first = seeds.randomElement(using: &chance),
        let second = seeds.randomElement(using: &chance)
      else { return }
      subject.take(chance.changed(first, second))
    }
  }
}

/// The inputs that are kept.
enum Seeds {
  static func folder(of subject: Subject) -> String {
    let here = #filePath
    let parent = here[..<(here.lastIndex(of: "/") ?? here.endIndex)]
    return "\(parent)/Seeds/\(subject.rawValue)"
  }

  static func all(of subject: Subject) -> [[UInt8]] {
    let folder = folder(of: subject)
    return names(in: folder).sorted().map { bytes(of: "\(folder)/\($0)") }
  }

  private static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
        String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }

  private static func bytes(of path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
      count = max(0, read(descriptor, buffer.baseAddress, buffer.count))
    }
  }
}

extension SplitMix {
  /// One to eight changes to the first, some with parts of the second.
  fileprivate mutating func changed(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    var bytes = first
    for _ in 0..<Int.random(in: 1...8, using: &self) {
      let place = Int.random(in: 0...bytes.count, using: &self)
      let end = min(bytes.count, place + Int.random(in: 0...16, using: &self))
      switch Int.random(in: 0..<5, using: &self) {
      case 0: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: next()) }
      case 1: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &self) }
      case 2: bytes.removeSubrange(place..<end)
      case 3: bytes.insert(contentsOf: bytes[place..<end], at: place)
      default: bytes.insert(contentsOf: part(of: second), at: place)
      }
    }
    return bytes
  }

  private mutating func part(of bytes: [UInt8]) -> ArraySlice<UInt8> {
    let start = Int.random(in: 0...bytes.count, using: &self)
    let end = min(bytes.count, start + Int.random(in: 0...32, using: &self))
    return bytes[start..<end]
  }
}
