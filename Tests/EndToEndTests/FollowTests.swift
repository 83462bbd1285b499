// SPDX-License-Identifier: Apache-2.0
//
// A link to a Metalink, as the user meets it: exit status, kills, the screen.

import Chance
import FaultServer
import Glibc
import Testing
import Transfers

@Suite struct FollowTests {
  private static let seed = UInt64.random(in: 0...UInt64(UInt32.max))
  private let world = World()
  /// So short that they have no name before they are complete.
  private let files = (1...3).map { Original("part\($0)", size: Int64($0) * 50_000) }

  /// Serves a Metalink with these file elements and gives its link.
  private func metalink(_ inside: String) -> String {
    let text = #"<metalink xmlns="urn:ietf:params:xml:ns:metalink">\#(inside)</metalink>"#
    world.server.on("/list.meta4", .status(200, body: text))
    return world.server.url("/list.meta4")
  }

  /// Serves all files and a Metalink of them.
  private func all(_ valve: Valve? = nil) -> String {
    metalink(
      files.map { file in
        let link = world.serve("/" + file.key, file.content) { $0.valve = valve }
        return
          #"<file name="../\#(file.key)"><size>\#(file.bytes.count)</size><url>\#(link)</url></file>"#
      }.joined()
    )
  }

  private func expectAllOnce(_ place: String) {
    #expect(names(in: world.downloads).sorted() == files.map(\.key), "\(place)")
    for file in files {
      let isRight = file.isEqual(world.saved(file.key))
      #expect(isRight, "\(file.key), \(place)")
    }
  }

  @Test func `get waits for the files that a Metalink names`() async throws {
    let valve = Valve(bytes: 70_000)
    let child = world.winch(["get", all(valve)])
    #expect(await eventually { valve.isShut })
    valve.open()
    let ending = try #require(await child.ended())
    #expect(ending.code == 0, "\(ending.error)")
    #expect(ending.error.contains("list.meta4: its 3 files take its place"), "\(ending.error)")
    #expect(ending.error.contains("3 of 3 arrived"), "\(ending.error)")
    expectAllOnce("")
  }

  @Test func `a file of it that is gone is exit status 1`() async throws {
    let link = metalink(#"<file name="a"><url>\#(world.server.url("/gone"))</url></file>"#)
    let ending = try await world.get(link)
    #expect(ending.code == 1, "\(ending.error)")
    #expect(ending.error.contains("failed  a  404 not found"), "\(ending.error)")
  }

  @Test func `one that breaks off stays a file, and why is told`() async throws {
    let link = metalink(#"<file name="a"><url>\#(world.server.url("/a"))</url></file><file>"#)
    let ending = try await world.get(link)
    #expect(ending.code == 0, "\(ending.error)")
    #expect(ending.error.contains("a Metalink, not followed, kept as a file: line 1:"))
    #expect(names(in: world.downloads) == ["list.meta4"])
  }

  /// Rows of the session after a kill: the Metalink, or all of its files, each once.
  private func checkSession(_ place: String) throws {
    let paths = try world.remembered().map(\.request.link.path).sorted()
    let all = files.map { "/" + $0.key }
    let isRight =
      paths.isEmpty || paths == ["/list.meta4"] || paths == all
      || paths == (["/list.meta4"] + all)
    #expect(isRight, "\(paths), \(place)")
    #expect(Set(paths).count == paths.count, "\(paths), \(place)")
  }

  @Test(arguments: 0..<4)
  func `killed at random moments, each of its files is there once`(_ number: UInt64) async throws {
    var dice = SplitMix(seed: Self.seed &+ number)
    let link = all()
    var isOver = false
    for life in 1...8 where !isOver {
      let child = world.winch(["get", "-n", "1", link])
      let requests = world.server.requests.count + Int.random(in: 1...4, using: &dice)
      let journal = Int.random(in: 1...60_000, using: &dice)
      let isByRequests = Bool.random(using: &dice)
      _ = await eventually(within: .seconds(2)) {
        isByRequests
          ? world.server.requests.count >= requests
          : (bytes(world.state + "/session.db-wal")?.count ?? 0) > journal
      }
      kill(child.id, SIGKILL)
      _ = await child.ended()
      try checkSession("life \(life), world \(number), seed \(Self.seed)")
      let left = try world.remembered()
      isOver = left.count == files.count && left.allSatisfy(\.state.isFinished)
    }
    if !isOver {
      let ending = try #require(await world.winch(["get", link]).ended())
      #expect(ending.code == 0, "\(ending.error)")
    }
    expectAllOnce("world \(number), seed \(Self.seed)")
  }

  @Test(.enabled(if: Tmux.isInstalled, "tmux is missing: scripts/packages test"))
  func `on the screen they take its place too`() async throws {
    let tmux = try await Tmux(world, winch: all(), showing: "3 done")
    try await tmux.sees("part1", "part2", "part3", "its 3 files take its place")
    expectAllOnce("")
  }
}
