// SPDX-License-Identifier: Apache-2.0
//
// `winch get`: what its options bring about, and what it does about sessions of others.

import FaultServer
import Glibc
import Testing

@Suite struct GetOptionTests {
  let world = World()
  private let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

  @Test func `the right checksum is told`() async throws {
    world.server.on("/abc", .status(200, body: "abc"))
    let ending = try await world.get("--checksum", "sha-256:\(abc)", world.server.url("/abc"))
    #expect(ending.code == 0)
    #expect(ending.error.contains("SHA-256 ok"))
    #expect(world.saved("abc") == Array("abc".utf8))
  }

  @Test func `a file with the wrong checksum is kept under another name`() async throws {
    world.server.on("/abc", .status(200, body: "abd"))
    let ending = try await world.get("--checksum", "sha-256:\(abc)", world.server.url("/abc"))
    #expect(ending.code == 1)
    #expect(ending.error.contains("checksum differs"))
    #expect(names(in: world.downloads) == ["abc.bad"])
    #expect(world.saved("abc.bad") == Array("abd".utf8))
  }

  @Test func `a mirror helps when the first link is dead`() async throws {
    let content = Content(size: 300_000)
    let (descriptor, port) = listenOnLoopback()
    close(descriptor)
    let ending = try await world.get(
      "--mirror",
      world.serve("/good.iso", content),
      "http://127.0.0.1:\(port)/dead.iso"
    )
    #expect(ending.code == 0, "\(ending.error)")
    #expect(names(in: world.downloads).map(world.saved) == [content.bytes])
  }

  @Test func `the rate limit makes a file take its time`() async throws {
    let content = Content(size: 300_000)
    let start = ContinuousClock.now
    let ending = try await world.get("--limit-rate", "200K", world.serve("/file.bin", content))
    #expect(ending.code == 0)
    #expect(ContinuousClock.now - start > .milliseconds(500))
    #expect(world.saved("file.bin") == content.bytes)
  }

  @Test func `a header is sent`() async throws {
    let link = world.serve("/file.bin", Content(size: 10))
    let ending = try await world.get("-H", "X-Colour: green", link)
    #expect(ending.code == 0)
    #expect(world.server.requests.map { $0.header("X-Colour") } == ["green"])
  }

  @Test func `secrets are sent and never shown`() async throws {
    let content = Content(size: 2_000_000)
    let valve = Valve(bytes: 400_000)
    let links = [
      world.serve("/slow.iso", content) { $0.valve = valve }, world.server.url("/gone.zip"),
    ]
    let secret = links.map { $0.replacing("http://", with: "http://user:hunter2@") }
    let header = ["-H", "X-Key: topsecret"]
    let child = world.winch(["get"] + header + secret + ["http://user:hunter2@"])
    #expect(await eventually { child.error.contains("404") && child.error.contains("start ") })
    #expect(world.server.requests.allSatisfy { $0.header("Authorization") != nil })
    #expect(world.server.requests.allSatisfy { $0.header("X-Key") == "topsecret" })
    kill(child.id, SIGTERM)
    let ending = try #require(await child.ended())
    for word in ["hunter2", "topsecret", "aHVudGVyMg"] {
      #expect(!(ending.error + ending.output).contains(word))
    }
  }

  @Test func `a second winch says which process holds the session`() async throws {
    let valve = Valve(bytes: 1000)
    let link = world.serve("/slow.iso", Content(size: 2_000_000)) { $0.valve = valve }
    let first = world.winch(["get", link])
    #expect(await eventually { first.error.contains("start   slow.iso") })
    let second = try await world.get(link)
    #expect(second.code == 1)
    #expect(second.lines.count == 1 && second.error.contains("process \(first.id)"))
  }

  @Test func `the session of a killed winch is free at once`() async throws {
    let valve = Valve(bytes: 1000)
    let link = world.serve("/slow.iso", Content(size: 2_000_000)) { $0.valve = valve }
    let first = world.winch(["get", link])
    #expect(await eventually { first.error.contains("start   slow.iso") })
    kill(first.id, SIGKILL)
    #expect(await first.ended()?.code == -SIGKILL)
    valve.open()
    #expect(try await world.get(link).code == 0)
  }

  @Test(arguments: ["not a database at all, but long enough to be looked at", "SQLite format 3"])
  func `a damaged session is told, and kept to the byte`(_ damage: String) async throws {
    mkdir(world.state, 0o700)
    let bytes = Array(String(repeating: damage + "\n", count: 200).utf8)
    writeFile("\(world.state)/session.db", bytes)
    let ending = try await world.get(world.serve("/file.bin", Content(size: 10)))
    #expect(ending.code == 1)
    #expect(ending.lines.count == 1 && ending.error.contains("session.db is damaged"))
    #expect(EndToEndTests.bytes("\(world.state)/session.db") == bytes)
    #expect(world.server.requests.isEmpty)
  }

  @Test func `a session of its own is made where --state says`() async throws {
    let link = world.serve("/file.bin", Content(size: 10))
    let ending = try await world.get("--state", "\(world.path)/mine", link)
    #expect(ending.code == 0)
    #expect(names(in: "\(world.path)/mine").contains("session.db"))
    #expect(names(in: world.state).isEmpty)
  }

  @Test func `version and help go to standard output`() async throws {
    let version = try #require(await world.winch(["--version"]).ended())
    #expect(version.code == 0 && version.output.hasPrefix("winch ") && version.error.isEmpty)
    let help = try #require(await world.winch(["--help"]).ended())
    #expect(help.code == 0 && help.error.isEmpty)
    for word in ["--limit-rate", "--checksum", "--mirror", "winch get"] {
      #expect(help.output.contains(word))
    }
  }
}
