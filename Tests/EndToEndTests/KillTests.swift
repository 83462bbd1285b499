// SPDX-License-Identifier: Apache-2.0
//
// The program is killed a hundred times at random moments: ten worlds side by side, ten times each.
// Each server lets a random part of every answer through, so that it matters what came when.

import Chance
import FaultServer
import Glibc
import Storage
import Testing
import Transfers

@Suite struct KillTests {
  private static let seed = UInt64.random(in: 0...UInt64(UInt32.max))
  private let world = World()
  private static let files =
    [Original("large", size: 2_400_000), Original("middle", size: 700_000)]
    + (0..<6).map { Original("small\($0)", size: 100 + Int64($0) * 9000) }

  @Test(arguments: 0..<10)
  func `killed at random moments and started again, it ends with the right bytes`(
    _ number: UInt64
  ) async throws {
    var dice = SplitMix(seed: Self.seed &+ number)
    var claimed: [String: ByteRangeSet] = [:]
    for life in 1...10 {
      let place = "world \(number), life \(life), seed \(Self.seed)"
      let first = world.server.requests.count
      serve(SplitMix(seed: dice.next()))
      await live(&dice)
      checkRepeated(claimed, from: first, place)
      claimed = try checkClaims(place)
    }
    let first = world.server.requests.count
    for file in Self.files { _ = world.serve("/" + file.key, file.content) }
    let ending = try #require(await start().ended())
    #expect(ending.code == 0, "\(ending.error)")
    checkRepeated(claimed, from: first, "at the end, world \(number), seed \(Self.seed)")
    // None of the kills has left a file that nobody owns, nor a copy beside it.
    let saved = names(in: world.downloads).sorted()
    #expect(saved == Self.files.map(\.key).sorted(), "world \(number), seed \(Self.seed)")
    for file in Self.files { #expect(file.isEqual(world.saved(file.key)), "\(file.key)") }
  }

  /// Small files have no name until they are complete, and the session knows what it has asked for.
  @Test(arguments: 0..<4)
  func `small files that were under way when it was killed are there once`(
    _ number: UInt64
  ) async throws {
    var dice = SplitMix(seed: Self.seed &+ 100 &+ number)
    let files = (0..<400).map { Original("one\($0)", size: 100 + Int64($0) * 7) }
    let links = files.map { world.serve("/" + $0.key, $0.content) }
    var isOver = false
    for _ in 0..<5 where !isOver {
      let child = world.winch(["get", "-j", "8"] + links)
      let requests = world.server.requests.count + Int.random(in: 1...200, using: &dice)
      _ = await eventually(within: .seconds(2)) { world.server.requests.count >= requests }
      kill(child.id, SIGKILL)
      _ = await child.ended()
      isOver = try !world.remembered().isEmpty && world.remembered().allSatisfy(\.state.isFinished)
    }
    if !isOver {
      let ending = try #require(await world.winch(["get", "-j", "8"] + links).ended())
      #expect(ending.code == 0, "\(ending.error)")
    }
    #expect(names(in: world.downloads).sorted() == files.map(\.key).sorted(), "seed \(Self.seed)")
    for file in files { #expect(file.isEqual(world.saved(file.key)), "seed \(Self.seed)") }
  }

  private func start() -> Child {
    let links = Self.files.map { world.server.url("/" + $0.key) }
    return world.winch(["get", "-n", "4", "-j", "4"] + links)
  }

  /// Every answer is held up after a random number of bytes; the large file gets so few in a life
  /// that there is something left for all ten.
  private func serve(_ dice: SplitMix) {
    var own = dice
    let shared = Valve(bytes: .random(in: 0..<220_000, using: &own))
    for file in Self.files {
      if file.key == "large" {
        _ = world.serve("/large", file.content) { $0.valve = shared }
        continue
      }
      world.server.on("/" + file.key) { request in
        var own = dice.split(UInt64(request.number))
        return .file(file.content) {
          $0.valve = Valve(bytes: .random(in: 0..<300_000, using: &own))
        }
      }
    }
  }

  /// One life of the program, from its start to the kill at a random moment.
  private func live(_ dice: inout SplitMix) async {
    let child = start()
    let requests = world.server.requests.count + Int.random(in: 1...12, using: &dice)
    let journal = Int.random(in: 1...80_000, using: &dice)
    let isByRequests = Bool.random(using: &dice)
    _ = await eventually(within: .milliseconds(.random(in: 1...1500, using: &dice))) {
      isByRequests
        ? world.server.requests.count >= requests
        : (bytes(world.state + "/session.db-wal")?.count ?? 0) > journal
    }
    kill(child.id, SIGKILL)
    _ = await child.ended()
  }
}

extension KillTests {
  /// Checks what the session claims after a kill.
  ///
  /// - Returns: The bytes it claims of each file.
  private func checkClaims(_ place: String) throws -> [String: ByteRangeSet] {
    var claimed: [String: ByteRangeSet] = [:]
    for transfer in try world.remembered() {
      let key = String(transfer.request.link.path.dropFirst())
      guard let file = Self.files.first(where: { $0.key == key }) else { continue }
      claimed[key] = transfer.state.isFinished ? ByteRangeSet([file.all]) : transfer.have
      let name = transfer.state.isFinished ? transfer.name : transfer.name + ".part"
      let saved = world.saved(name) ?? world.saved(transfer.name) ?? []
      for range in claimed[key]?.ranges ?? [] {
        let isRight = file.agrees(saved, in: range)
        #expect(isRight, "\(transfer.name) lacks \(range): \(place)")
      }
    }
    return claimed
  }

  /// Nothing that was claimed is asked for again.
  private func checkRepeated(_ claimed: [String: ByteRangeSet], from first: Int, _ place: String) {
    for request in world.server.requests.dropFirst(first) {
      let start = request.range.flatMap { Int64($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
      let sent = ByteRange(start, start + request.bytesSent)
      let known = claimed[String(request.path.dropFirst())] ?? ByteRangeSet()
      let again = known.ranges.first { $0.lower < sent.upper && sent.lower < $0.upper }
      #expect(again == nil, "\(request.path) \(sent) is known: \(place)")
    }
  }
}
