// SPDX-License-Identifier: Apache-2.0
//
// Links that a server names as duplicates of the file (RFC 6249): compared like any other, and
// without the user's secrets.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "duplicates", size: 5 * 1024 * 1024 + 17)
private let begun: Int64 = 512 * 1024

@Suite struct DuplicateTests {
  /// A server that names another, and stands still after a while until its gate is opened.
  private func bench(
    scheme: String = "http",
    second: Content = content,
    fields: [ResponseField] = []
  ) throws -> Bench {
    let bench = try Bench()
    bench.web.answer { asked in
      if asked.request.link.origin.host == "two.test" { return Served(second).whole(asked) }
      var served = Served(content)
      let name = "<\(scheme)://user:pass@two.test/copy>; rel=duplicate; pri=1; geo=gb"
      served.fields = [ResponseField("link", name)] + fields
      return served.held(asked, after: begun, at: "first")
    }
    return bench
  }

  private func others(_ bench: Bench) -> [Asked] {
    bench.web.asked.filter { $0.request.link.origin.host == "two.test" }
  }

  /// Waits until the second has nothing to do any more, then lets the first go on.
  private func finish(_ bench: Bench, _ id: TransferID, ticks: Int = 8) {
    for _ in 0..<ticks { bench.engine.tick() }
    bench.web.open("first")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func aDuplicateIsComparedAndUsedWithoutSecrets() throws {
    let bench = try bench()
    let id = bench.fetch("/file") {
      $0.connections = .fixed(2)
      $0.trust = .anything
    }
    #expect(
      bench.wait("it is used") {
        bench.engine.tick()
        return others(bench).count > 4
      }
    )
    let samples = bench.engine.sample().first?.sources
    #expect(samples?.map(\.isFound) == [false, true])
    finish(bench, id)
    let requests = others(bench).map(\.request)
    #expect(requests.allSatisfy { $0.link.login == nil && $0.trust == .system })
    #expect(bench.engine.transfer(id)?.request.mirrors.count == 1)
  }

  @Test func aDuplicateWithAnotherFileIsSetAside() throws {
    let bench = try bench(second: content.version(2))
    let id = bench.fetch("/file") { $0.connections = .fixed(2) }
    #expect(
      bench.wait("it is set aside") {
        bench.engine.tick()
        return bench.engine.log(of: id).contains { $0.text.contains("two.test set aside") }
      }
    )
    finish(bench, id)
    #expect(others(bench).count == 1)
  }

  @Test func aFileThatNeedsSecretsIsAskedForNowhereElse() throws {
    let bench = try bench()
    let id = bench.fetch("/file") {
      $0.connections = .fixed(2)
      $0.headers = [HeaderField(name: "Cookie", value: "a=b")].compactMap { $0 }
    }
    #expect(bench.web.reaches("first"))
    finish(bench, id)
    #expect(others(bench).isEmpty)
  }

  @Test(arguments: [false, true])
  func plainDuplicatesOfAnEncryptedFileNeedADigest(isKnown: Bool) throws {
    let bench = try bench()
    let id = bench.fetch("/file") {
      $0.mirrors = [link("https://one.test/file")]
      $0.connections = .fixed(2)
      if isKnown { $0.checksum = checksum(.sha256, of: content.bytes) }
    }
    #expect(bench.web.reaches("first"))
    if isKnown {
      #expect(
        bench.wait("it is used") {
          bench.engine.tick()
          return others(bench).count > 3
        }
      )
    }
    finish(bench, id)
    #expect(others(bench).isEmpty == !isKnown)
  }
}
