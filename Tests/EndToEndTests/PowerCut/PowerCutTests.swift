// SPDX-License-Identifier: Apache-2.0
//
// Power cuts: three runs of the program are written down to the last byte, name and sync. Then the
// power is cut at every sync and at random points between; what is left is looked at, and some of
// it carried on with.

import Chance
import FaultServer
import Glibc
import Storage
import Testing
import Transfers

@Suite struct PowerCutTests {
  let world = World()
  private let whole = Original("whole", size: 2 << 20)
  private let moved = Original("moved", size: 2 << 20)
  private let movedLater = Original("moved", version: 2, size: 2 << 20)
  private let small = (0..<5).map { Original("small\($0)", size: 3000 + Int64($0) * 9000) }
  private let seed = UInt64.random(in: 0...UInt64(UInt32.max))

  @Test func `what a power cut leaves is right, and is carried on with`() async throws {
    let changes = try await record()
    var dice = SplitMix(seed: seed)
    var disk = ReplayedDisk(directories: [world.downloads, world.path + "/state"])
    var cuts = 0
    for change in changes {
      if change.what == .synced { try check(cut(disk, &dice, &cuts), cuts) }
      disk.play(change)
      let isChosen = Int.random(in: 0..<changes.count, using: &dice) < 80
      guard change.what == .synced || isChosen else { continue }
      let image = cut(disk, &dice, &cuts)
      try check(image, cuts)
      if cuts % 8 == 0 { try await carryOn(image, cuts) }
    }
    #expect(cuts > 80)
  }

  private func cut(_ disk: ReplayedDisk, _ dice: inout SplitMix, _ cuts: inout Int) -> DiskImage {
    cuts += 1
    return disk.image([0, 0.25, 0.75, 1].randomElement(using: &dice) ?? 0, &dice)
  }

  /// Checks everything that the session claims.
  private func check(_ image: DiskImage, _ cut: Int) throws {
    for transfer in try image.session(world) {
      let problem = original(transfer).flatMap { image.problem(transfer, $0, world.downloads) }
      #expect(problem == nil, "cut \(cut), seed \(seed)")
    }
    if image.synced.contains(world.state + "/session.db-wal") {
      let isThere = image.file(world.state + "/session.db") != nil
      #expect(isThere, "no session: cut \(cut), seed \(seed)")
    }
    // Large or small, it was synced before it got its name.
    for file in [whole, movedLater] + small {
      guard let number = image.file("\(world.downloads)/\(file.key)") else { continue }
      #expect(file.isEqual(image.contents[number]), "\(file.key): cut \(cut), seed \(seed)")
    }
  }

  /// Puts the disk back, runs the program to its end and checks the files.
  private func carryOn(_ image: DiskImage, _ cut: Int) async throws {
    let wasDone = try image.session(world).allSatisfy(\.state.isFinished)
    let inodes = image.write(world)
    let ending = try #require(await start(["DISK_INODES": inodes]).ended())
    #expect(ending.code == 0, "cut \(cut), seed \(seed): \(ending.error)")
    for file in [whole, movedLater] + small {
      let saved = names(in: world.downloads).filter { $0.hasPrefix(file.key) }
      let isThere = saved.contains { file.isEqual(world.saved($0)) }
      #expect(isThere, "no \(file.key) in \(saved): cut \(cut), seed \(seed)")
    }
    // When all of it was done, it is asked for anew.
    if wasDone { return }
    // No file has a name before the session knows of it, so that none is fetched twice.
    let all = ([whole, movedLater] + small).map(\.key).sorted()
    #expect(names(in: world.downloads).sorted() == all, "cut \(cut), seed \(seed)")
  }

  /// The version that the transfer's answer told of.
  private func original(_ transfer: Transfer) -> Original? {
    ([whole, moved, movedLater] + small).first {
      Behaviour.tag($0.content) == transfer.answer?.validators.entityTag
    }
  }
}

// What is recorded.
extension PowerCutTests {
  private var log: String { world.path + "/disk.log" }

  /// One run stopped in order, one killed after both large files had to begin anew, one to the end.
  private func record() async throws -> [DiskChange] {
    for file in small { _ = world.serve("/" + file.key, file.content) }
    try await run(endedBy: SIGINT, moved)
    try await run(endedBy: SIGKILL, movedLater, ranges: .ignored)
    for file in [whole, movedLater] { _ = world.serve("/" + file.key, file.content) }
    #expect(try #require(await start(["DISK_LOG": log]).ended()).code == 0)
    #expect(whole.isEqual(world.saved("whole")) && movedLater.isEqual(world.saved("moved")))
    return diskChanges(log)
  }

  /// Lets a part of each answer through, waits until that is claimed, and ends the program.
  private func run(
    endedBy signal: Int32,
    _ moved: Original,
    ranges: Behaviour.Ranges = .honoured
  ) async throws {
    let first = diskChanges(log).count
    for file in [whole, moved] {
      let before = world.server.requests("/" + file.key).count
      world.server.on("/" + file.key) { [whole] request in
        .file(file.content) {
          if file.key == whole.key { $0.ranges = ranges }
          // Together less than the file: however long it takes, it does not come to its end.
          $0.valve = Valve(bytes: request.turn - before <= 20 ? 100_000 : 0)
        }
      }
    }
    let child = start(["DISK_LOG": log])
    #expect(await eventually { isClaimed(after: first) }, "\(child.error)")
    kill(child.id, signal)
    _ = try #require(await child.ended())
  }

  /// Whether both large files were written to, synced after that, and the session after that.
  private func isClaimed(after first: Int) -> Bool {
    let changes = diskChanges(log)
    return ["whole", "moved"].allSatisfy { name in
      let part = "\(world.downloads)/\(name).part"
      guard
        let made = changes.first(where: { [.create, .link].contains($0.what) && $0.path == part }),
        let written = changes[first...]
          .lastIndex(where: { $0.what == .write && $0.inode == made.inode }),
        let synced = changes[written...].firstIndex(where: {
          $0.what == .syncAll || $0.what == .syncFile && $0.inode == made.inode
        })
      else { return false }
      return changes[synced...].contains { $0.what == .syncFile && $0.path.hasSuffix("-wal") }
    }
  }

  /// Starts the program with the recorder before it.
  private func start(_ variables: [String: String]) -> Child {
    world.environment["LD_PRELOAD"] = World.neighbour("libDiskRecorder.so")
    world.environment["DISK_ROOT"] = world.path
    for name in ["DISK_LOG", "DISK_INODES"] { world.environment[name] = variables[name] }
    let paths = ["/whole", "/moved"] + small.map { "/" + $0.key }
    return world.winch(["get", "-n", "4", "-j", "4"] + paths.map { world.server.url($0) })
  }
}
