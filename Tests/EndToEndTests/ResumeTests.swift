// SPDX-License-Identifier: Apache-2.0
//
// What is left unfinished is carried on, whatever ended the process.

import FaultServer
import Glibc
import Testing
import Transfers

@Suite struct ResumeTests {
  let world = World()
  private let content = Content(size: 4_000_000)
  private let valve = Valve(bytes: 2_000_000)

  /// Runs `winch get` until half of the file is there.
  private func half() async -> (link: String, child: Child) {
    let link = world.serve("/big.iso", content) { $0.valve = valve }
    let child = world.winch(["get", "-n", "1", link])
    let part = "\(world.downloads)/big.iso.part"
    let isThere = await eventually {
      world.server.requests.first?.bytesSent == 2_000_000 && bytes(part)?.isEmpty == false
    }
    #expect(isThere, "\(child.error)")
    return (link, child)
  }

  /// Runs the same command again and checks that it carries on and the bytes are right.
  private func carryOn(_ link: String) async throws {
    valve.open()
    let ending = try await world.get("-n", "1", link)
    #expect(ending.code == 0, "\(ending.error)")
    #expect(names(in: world.downloads) == ["big.iso"])
    #expect(world.saved("big.iso") == content.bytes)
    let second = try #require(world.server.requests.dropFirst().first)
    #expect(second.header("If-Range") == Behaviour.tag(content))
    let range = try #require(second.range)
    #expect(range.hasPrefix("bytes=") && !range.hasPrefix("bytes=0-"), "\(range)")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `a signal stops it in order, and the same command carries on`(_ signal: Int32) async throws {
    let (link, child) = await half()
    kill(child.id, signal)
    #expect(try #require(await child.ended()).code == 3)
    try await carryOn(link)
  }

  @Test func `what waits for its time can be stopped, and asked for without a wait`() async throws {
    let link = world.serve("/late.iso", content)
    let child = world.winch(["get", "--start-at", "tomorrow 12:00", link])
    #expect(await eventually { child.error.contains("waits   late.iso  starts at 12:00") })
    kill(child.id, SIGINT)
    #expect(try #require(await child.ended()).code == 3)
    #expect(world.server.requests.isEmpty)
    #expect(try await world.get("--quota", "4M", link).code == 0)
    #expect(world.saved("late.iso") == content.bytes)
  }

  @Test func `of what is killed no more than the last seconds are lost`() async throws {
    let (link, child) = await half()
    let part = "\(world.downloads)/big.iso.part"
    #expect(await eventually { isOlder(part, than: 3) })
    kill(child.id, SIGKILL)
    #expect(try #require(await child.ended()).code == -SIGKILL)
    try await carryOn(link)
  }

  /// Whether a file has not been written to for some seconds.
  private func isOlder(_ path: String, than seconds: Int) -> Bool {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let nanoseconds = now.tv_sec * 1_000_000_000 + now.tv_nsec
    return lastWrite(path).map { nanoseconds - $0 > seconds * 1_000_000_000 } ?? false
  }

  @Test func `a file that changed meanwhile is fetched anew, whole and right`() async throws {
    let (link, child) = await half()
    kill(child.id, SIGINT)
    _ = try #require(await child.ended())
    let newer = content.version(2)
    world.server.on("/big.iso", .file(newer))
    let ending = try await world.get(link)
    #expect(ending.code == 0)
    #expect(names(in: world.downloads).contains("big.iso"))
    #expect(world.saved("big.iso") == newer.bytes)
  }

  @Test func `what was finished before the stop is not fetched again`() async throws {
    let small = Content(key: "small", size: 5000)
    let links = [
      world.serve("/small.txt", small), world.serve("/big.iso", content) { $0.valve = valve },
    ]
    let child = world.winch(["get"] + links)
    #expect(await eventually { child.error.contains("done    small.txt") && valve.isShut })
    kill(child.id, SIGINT)
    _ = try #require(await child.ended())
    valve.open()
    let ending = try await world.get(links[0], links[1])
    #expect(ending.code == 0)
    #expect(ending.error.contains("there   small.txt  4.88 KiB"), "\(ending.error)")
    #expect(ending.error.contains("2 of 2 arrived"), "\(ending.error)")
    #expect(names(in: world.downloads) == ["big.iso", "small.txt"])
    #expect(world.server.requests("/small.txt").count == 1)
    // Asked for when nothing is left to be carried on, it is meant to be fetched once more.
    #expect(try await world.get(links[0]).code == 0)
    #expect(names(in: world.downloads).count == 3)
  }

  @Test func `several connections are carried on with the ranges that are missing`() async throws {
    let link = world.serve("/big.iso", content) { $0.valve = valve }
    let child = world.winch(["get", "-n", "4", link])
    // What the server handed to the system may not have been read yet.
    #expect(await eventually { (bytes("\(world.downloads)/big.iso.part")?.count ?? 0) > 0 })
    kill(child.id, SIGINT)
    #expect(try #require(await child.ended()).code == 3)
    let kept = try #require(try world.remembered().first?.have)
    #expect(!kept.isEmpty)
    let first = world.server.requests.count
    valve.open()
    #expect(try await world.get("-n", "4", link).code == 0)
    #expect(world.saved("big.iso") == content.bytes)
    let starts = world.server.requests.dropFirst(first).compactMap { request in
      request.range.flatMap { Int64($0.dropFirst(6).prefix { $0 != "-" }) }
    }
    let isNew = starts.allSatisfy { !kept.contains(ByteRange($0, $0 + 1)) }
    #expect(!starts.isEmpty && isNew, "\(starts) of \(kept.ranges)")
  }
}
