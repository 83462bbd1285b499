// SPDX-License-Identifier: Apache-2.0
//
// `winch get` as a shell sees it: exit status, lines on standard error, files.

import FaultServer
import Glibc
import Testing

@Suite struct GetTests {
  let world = World()

  @Test func `everything that arrived is exit status 0, told in plain lines`() async throws {
    let (one, two) = (Content(key: "one", size: 3_000_000), Content(key: "two", size: 5))
    let links = [world.serve("/one.iso", one), world.serve("/two.txt", two)]
    let ending = try await world.get(links[0], links[1])
    #expect(ending.code == 0)
    #expect(world.saved("one.iso") == one.bytes)
    #expect(world.saved("two.txt") == two.bytes)
    #expect(names(in: world.downloads) == ["one.iso", "two.txt"])
    #expect(ending.error.contains("done    one.iso  2.86 MiB"))
    #expect(ending.error.contains("2 of 2 arrived"))
    #expect(ending.error.utf8.allSatisfy { $0 >= 32 || $0 == 10 }, "a control byte")
    #expect(ending.output.isEmpty)
  }

  @Test func `the same without get, since there is no terminal`() async throws {
    let content = Content(size: 1000)
    let child = world.winch([world.serve("/file.bin", content)])
    let ending = try #require(await child.ended())
    #expect(ending.code == 0)
    #expect(ending.lines.first?.hasPrefix("winch: not a terminal") == true)
    #expect(world.saved("file.bin") == content.bytes)
  }

  @Test func `without a terminal and without links there is one line that says so`() async throws {
    let ending = try #require(await world.winch([]).ended())
    #expect(ending.code == 2)
    #expect(ending.lines.count == 1 && ending.error.contains("not a terminal"))
  }

  @Test func `a file that is not there is exit status 1, and the others arrive`() async throws {
    let content = Content(size: 1000)
    let ending = try await world.get(
      world.server.url("/gone.zip"),
      world.serve("/there.zip", content)
    )
    #expect(ending.code == 1)
    #expect(ending.error.contains("failed  gone.zip  404 not found"))
    #expect(ending.error.contains("1 of 2 arrived"))
    #expect(world.saved("there.zip") == content.bytes)
  }

  static let wrongLines: [([String], String)] = [
    (["get"], "nothing to fetch"),
    (["get", "--colour", "never", "http://127.0.0.1/x"], "--colour"),
    (["--no-such-option"], "--no-such-option"),
    (["get", "not a link"], "not a link"),
    (["get", "http://"], "http://"),
    (["get", "http://127.0.0.1:99999/x"], "port"),
    (["get", "gopher://127.0.0.1/x"], "gopher"),
    (["get", "--checksum", "sha-256:12", "http://127.0.0.1/x"], "--checksum"),
    (["get", "--limit-rate", "fast", "http://127.0.0.1/x"], "--limit-rate"),
    (["get", "-j", "0", "http://127.0.0.1/x"], "--jobs"),
    (["get", "-o", "a", "http://127.0.0.1/x", "http://127.0.0.1/y"], "--output"),
    (["get", "-i", "/no/such/list"], "/no/such/list"),
    (["get", "-i", "/"], "cannot read the list"),
    (["get", "-d", "/no/such/directory", "http://127.0.0.1/x"], "/no/such/directory"),
    (["get", "-d", "/etc/passwd", "http://127.0.0.1/x"], "/etc/passwd"),
  ]

  @Test(arguments: wrongLines)
  func `what cannot be carried out is exit status 2 and one line`(
    _ arguments: [String],
    _ words: String
  ) async throws {
    let ending = try #require(await world.winch(arguments).ended())
    #expect(ending.code == 2)
    #expect(ending.lines.count == 1 && ending.error.hasPrefix("winch: "), "\(ending.error)")
    #expect(ending.error.contains(words), "\(ending.error)")
  }

  @Test func `a directory that cannot be written to is told before anything is fetched`()
    async throws
  {
    let link = world.serve("/file.bin", Content(size: 10))
    let target = "\(world.path)/read-only"
    mkdir(target, 0o555)
    // The owner of the machine may write anywhere unless this one right is taken away.
    let humbly = geteuid() == 0 ? ["/usr/bin/setpriv", "--bounding-set", "-dac_override"] : []
    let child = world.start(humbly + [World.program, "get", "-d", target, link])
    let ending = try #require(await child.ended())
    #expect(ending.code == 2)
    #expect(ending.lines.count == 1 && ending.error.contains("read-only"), "\(ending.error)")
    #expect(world.server.requests.isEmpty)
  }

  @Test func `Ctrl-C is exit status 3, and what is there is kept`() async throws {
    let content = Content(size: 2_000_000)
    let valve = Valve(bytes: 600_000)
    let child = world.winch(["get", world.serve("/slow.iso", content) { $0.valve = valve }])
    #expect(await eventually { child.error.contains("start   slow.iso") })
    kill(child.id, SIGINT)
    let ending = try #require(await child.ended())
    #expect(ending.code == 3)
    #expect(ending.error.contains("run the same command again"))
    #expect(names(in: world.downloads) == ["slow.iso.part"])
  }

  @Test func `a list may have a mark, carriage returns, comments and lines that are no links`()
    async throws
  {
    let (one, two) = (Content(key: "1", size: 100), Content(key: "2", size: 200))
    let lines = [
      "# mine", world.serve("/one.bin", one), "", "  not a link", "gopher://127.0.0.1/x",
      world.serve("/two.bin", two),
    ]
    let list = "\u{FEFF}" + lines.joined(separator: "\r\n")
    let ending = try await world.get("-i", "-", input: Array(list.utf8))
    #expect(ending.code == 2)
    #expect(ending.error.contains("standard input, line 4: not a link"))
    #expect(ending.error.contains("standard input, line 5: gopher://127.0.0.1/x"))
    #expect(world.saved("one.bin") == one.bytes)
    #expect(world.saved("two.bin") == two.bytes)
  }

  @Test func `a list in a file is read, and nothing wrong with it is exit status 0`() async throws {
    let content = Content(size: 100)
    writeFile("\(world.path)/list", Array("\(world.serve("/a.bin", content))\n".utf8))
    let ending = try await world.get("-i", "\(world.path)/list", "-d", "\(world.path)/home")
    #expect(ending.code == 0)
    #expect(bytes("\(world.path)/home/a.bin") == content.bytes)
  }

  @Test func `a file that is there is never replaced`() async throws {
    let content = Content(size: 1000)
    writeFile("\(world.downloads)/file.tar.gz", Array("mine".utf8))
    let ending = try await world.get(world.serve("/file.tar.gz", content))
    #expect(ending.code == 0)
    #expect(world.saved("file.tar.gz") == Array("mine".utf8))
    #expect(names(in: world.downloads).count == 2)
    let other = names(in: world.downloads).first { $0 != "file.tar.gz" }
    #expect(other?.contains("(1)") == true && other.map(world.saved) == content.bytes)
  }

  @Test(arguments: ["", "\u{FEFF}", "# nothing\n\n"])
  func `a list without a link is told`(list: String) async throws {
    let ending = try await world.get("-i", "-", input: Array(list.utf8))
    #expect(ending.code == 2)
    #expect(ending.error == "winch: there is no link in the list\n")
  }

  @Test func `a chosen name is used`() async throws {
    let content = Content(size: 1000)
    let ending = try await world.get("-o", "mine.bin", world.serve("/file.bin", content))
    #expect(ending.code == 0)
    #expect(names(in: world.downloads) == ["mine.bin"])
    #expect(world.saved("mine.bin") == content.bytes)
  }

  @Test func `a hostile name stays in its directory and sends nothing to the terminal`()
    async throws
  {
    let content = Content(size: 1000)
    let path = "/a/..%2f..%2fevil%1b%5d0;owned%07%0d%0a.bin"
    let ending = try await world.get(world.serve(path, content))
    #expect(ending.code == 0)
    #expect(ending.error.utf8.allSatisfy { $0 >= 32 || $0 == 10 }, "a control byte")
    let name = try #require(names(in: world.downloads).first)
    #expect(name.hasSuffix(".bin") && world.saved(name) == content.bytes)
    #expect(name.utf8.allSatisfy { $0 >= 32 && $0 != UInt8(ascii: "/") })
  }
}
