// SPDX-License-Identifier: Apache-2.0
//
// `winch get` with secrets: netrc, cookie files, proxies out of the environment, signed links.

import FaultServer
import Glibc
import Testing

@Suite struct SecretTests {
  let world = World()
  private let jar = "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tpass\tT0P\n"

  @Test func `netrc in the home gives the login`() async throws {
    let netrc = "machine 127.0.0.1 login ann password s3cret\n"
    writeFile("\(world.path)/home/.netrc", Array(netrc.utf8))
    let ending = try await world.get(world.serve("/file.bin", Content(size: 10)))
    #expect(ending.code == 0)
    #expect(world.server.requests.map { $0.header("Authorization") } == ["Basic YW5uOnMzY3JldA=="])
  }

  @Test func `a cookie file is remembered by its whole path with the transfer`() async throws {
    writeFile("\(world.downloads)/jar", Array(jar.utf8))
    let content = Content(size: 500_000)
    let valve = Valve(bytes: 200_000)
    let link = world.serve("/file.bin", content) { $0.valve = valve }
    let first = world.winch(["get", "--cookies", "jar", "-n", "1", link])
    #expect(await eventually { first.error.contains("start ") })
    kill(first.id, SIGTERM)
    _ = try #require(await first.ended())
    valve.open()
    #expect(
      isIn("\(world.downloads)/jar", "\(world.state)/session.db")
        || isIn("\(world.downloads)/jar", "\(world.state)/session.db-wal")
    )
    let again = try await world.get("--cookies", "\(world.downloads)/jar", link)
    #expect(again.code == 0, "\(again.error)")
    #expect(world.saved("file.bin") == content.bytes)
    #expect(world.server.requests.allSatisfy { $0.header("Cookie") == "pass=T0P" })
    #expect(world.saved("jar") == Array(jar.utf8))
    for ending in [again.error, again.output, first.error] { #expect(!ending.contains("T0P")) }
  }

  @Test(arguments: [
    ("nowhere", "No such file"), (".", "regular file"), ("list.json", "Netscape"),
  ])
  func `a file that gives no cookies is one line at the start`(
    name: String,
    words: String
  ) async throws {
    writeFile("\(world.downloads)/list.json", Array("[{}]\n".utf8))
    let link = world.serve("/file.bin", Content(size: 10))
    let ending = try await world.get("--cookies", name, link)
    #expect(ending.code == 2)
    #expect(ending.lines.count == 1 && ending.error.contains(words), "\(ending.error)")
    #expect(world.server.requests.isEmpty)
  }

  @Test func `an unusable proxy variable is one line and the file arrives`() async throws {
    world.environment["ALL_PROXY"] = "socks://u:s3cret@127.0.0.1:1"
    let ending = try await world.get(world.serve("/file.bin", Content(size: 10)))
    #expect(ending.code == 0, "\(ending.error)")
    #expect(ending.lines.filter { $0.contains("ALL_PROXY") }.count == 1)
    #expect(!ending.error.contains("s3cret"))
  }

  @Test func `the proxy's refusal is named and its login never shown`() async throws {
    world.environment["http_proxy"] = "http://u:s3cret@127.0.0.1:\(world.server.port)"
    world.server.on("http://there.example/f", .status(407))
    let ending = try await world.get("http://there.example/f")
    #expect(ending.code == 1)
    #expect(ending.error.contains("proxy refused"))
    #expect(world.server.requests.first?.header("Proxy-Authorization") == "Basic dTpzM2NyZXQ=")
    #expect(!ending.error.contains("s3cret"))
  }

  @Test func `what is signed is sent and never shown`() async throws {
    let signed = "/loop?X-Amz-Signature=s3cret"
    world.server.on("/loop", .redirect(to: signed))
    let ending = try await world.get(
      world.server.url(signed),
      "gopher://h/x?token=s3cret",
      "http://u:s3cret@:1/?sig=s3cret"
    )
    #expect(ending.error.contains("redirect loop") && ending.error.contains("/loop?…"))
    #expect(ending.error.contains("gopher://h/x?…"))
    #expect(world.server.requests.first?.target == signed)
    #expect(!ending.error.contains("s3cret"), "\(ending.error)")
  }

  @Test func `the process list shows no secret`() async throws {
    let valve = Valve(bytes: 1000)
    let plain = world.serve("/slow.iso", Content(size: 2_000_000)) { $0.valve = valve }
    let link = plain.replacing("http://", with: "http://ann:s3cret@")
    let child = world.winch(["get", "-H", "X-Key: T0P", "-n", "1", link])
    #expect(await eventually { child.error.contains("start ") })
    let line = text("/proc/\(child.id)/cmdline").split(separator: "\u{0}")
    #expect(line.count == 7)
    #expect(line.contains("get") && line.contains("-n"))
    #expect(!line.contains { $0.contains("s3cret") || $0.contains("T0P") })
    #expect(world.server.requests.first?.header("X-Key") == "T0P")
    #expect(world.server.requests.first?.header("Authorization") == "Basic YW5uOnMzY3JldA==")
  }

  @Test func `a line of a list with control bytes is refused with its number`() async throws {
    let good = world.serve("/file.bin", Content(size: 10))
    let list = "\(good)\n\(world.server.url("/x"))\u{1B}[2J\n"
    let ending = try await world.get("-i", "-", input: Array(list.utf8))
    #expect(ending.code == 2)
    #expect(ending.error.contains("standard input, line 2") && !ending.error.contains("\u{1B}"))
    #expect(world.server.requests.map(\.target) == ["/file.bin"])
  }

  private func isIn(_ text: String, _ path: String) -> Bool {
    let bytes = EndToEndTests.bytes(path) ?? []
    return String(decoding: bytes, as: UTF8.self).contains(text)
  }
}
