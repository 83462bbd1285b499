// SPDX-License-Identifier: Apache-2.0
//
// Files from FTP servers, honest and other ones: several connections, resuming, and that bytes of
// two files, or from two places, are never mixed.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = siteContent
private let cutAt = siteCut

/// An engine with real connections, and an FTP server.
private final class FTPSite: Sendable {
  let server: FTPServer
  let bench: Bench
  private let handles = HandleCache()

  init(_ behaviour: FTPBehaviour) throws {
    server = FTPServer.start(behaviour)
    let handles = handles
    bench = try Bench(jobs: 4, connect: { BlockingConnection(handles: handles) })
  }

  deinit {
    bench.shutDown()
    handles.close()
    server.stop()
  }

  func start(connections: Int = 1) -> TransferID {
    let url = server.url("/file")
    let id = bench.engine.add([
      bench.request("/") {
        $0.mirrors = [link(url)]
        $0.connections = .fixed(connections)
      }
    ])[0]
    bench.engine.start([id])
    return id
  }

  func fetch(connections: Int = 1) -> TransferID {
    let id = start(connections: connections)
    _ = bench.pump(id)
    return id
  }

  /// Fetches the first bytes of the file, pauses, and goes on with a server that has become another.
  func resume(with later: FTPBehaviour) throws -> (id: TransferID, have: Int64) {
    let id = start()
    #expect(server.waitUntilSent(cutAt))
    _ = bench.wait("they are written") { bench.engine.transfer(id)?.received.bytes == Int64(cutAt) }
    bench.engine.pause([id])
    _ = bench.waitPaused(id)
    let have = try #require(bench.engine.transfer(id)).received.bytes
    server.behaviour = later
    bench.engine.resume([id])
    _ = bench.pump(id)
    return (id, have)
  }

  func story(_ id: TransferID) -> String {
    "\(bench.engine.log(of: id).map(\.text)) \(server.commands.map { "\($0.verb) \($0.argument)" })"
  }
}

/// A server that stops after the first bytes.
private func stopping(_ change: (inout FTPBehaviour) -> Void = { _ in }) -> FTPBehaviour {
  FTPBehaviour(content) {
    $0.valve = Valve(bytes: cutAt)
    change(&$0)
  }
}

@Suite struct FTPSiteTests {
  @Test func severalConnectionsShareAFile() throws {
    let valve = Valve(bytes: 64 * 1024)
    let site = try FTPSite(FTPBehaviour(content) { $0.valve = valve })
    let id = site.start(connections: 4)
    #expect(site.server.waitFor("REST", 3))
    valve.open()
    _ = site.bench.pump(id)
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    #expect(site.server.connectionCount >= 4)
  }

  @Test func aPausedFileIsResumedByRestAndCompared() throws {
    let site = try FTPSite(stopping())
    let (id, have) = try site.resume(with: FTPBehaviour(content))
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    #expect(site.server.arguments("REST") == ["\(have - OverlapProof.length)"])
  }

  @Test func aFileWithAnotherDateIsFetchedWhole() throws {
    let site = try FTPSite(stopping())
    let newer = FTPBehaviour(content.version(2)) { $0.date = "20260203040506" }
    let (id, _) = try site.resume(with: newer)
    #expect(site.bench.holds("file", content.version(2)), "\(site.story(id))")
    #expect(site.bench.engine.log(of: id).contains { $0.text.hasPrefix("starting over") })
  }

  @Test(arguments: [nil, "20260102030405"])
  func otherBytesWithoutADateOrWithTheSameAreFoundByComparing(_ date: String?) throws {
    let site = try FTPSite(stopping { $0.date = date })
    let (id, _) = try site.resume(with: FTPBehaviour(content.version(2)) { $0.date = date })
    #expect(site.bench.holds("file", content.version(2)), "\(site.story(id))")
  }

  @Test(arguments: [FTPBehaviour.Restart.refused, .ignored])
  func withoutRestTheFileIsFetchedFromItsStart(_ restart: FTPBehaviour.Restart) throws {
    let site = try FTPSite(stopping { $0.restart = restart })
    let (id, _) = try site.resume(with: FTPBehaviour(content) { $0.restart = restart })
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    #expect(site.bench.scratch.names == ["file"])
  }

  @Test(arguments: [FTPBehaviour.Restart.refused, .ignored])
  func withoutRestSeveralConnectionsMixNothing(_ restart: FTPBehaviour.Restart) throws {
    let valve = Valve(bytes: 64 * 1024)
    let spoilt = FTPBehaviour(content) { ($0.restart, $0.valve) = (restart, valve) }
    let site = try FTPSite(spoilt)
    let id = site.start(connections: 4)
    #expect(site.server.waitFor("REST"))
    valve.open()
    _ = site.bench.pump(id)
    #expect(site.bench.holds("file", content), "\(site.story(id))")
  }

  @Test func anEarlyEndIsResumedWhereItWas() throws {
    let site = try FTPSite(FTPBehaviour(content) { $0.cut = (after: cutAt, files: 1) })
    let id = site.fetch()
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    #expect(site.server.arguments("REST") == ["\(cutAt)"])
  }

  @Test func aLimitOfConnectionsIsKept() throws {
    let site = try FTPSite(FTPBehaviour(content) { $0.most = 2 })
    let id = site.fetch(connections: 8)
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    // Each refusal is a connection less; what else is there has fetched a part.
    #expect(site.server.refusedCount <= 7, "\(site.story(id))")
  }

  @Test func aFileWithoutASizeIsDoneWhenTheServerSaysSo() throws {
    let site = try FTPSite(FTPBehaviour(content) { $0.hasSize = false })
    let id = site.fetch(connections: 4)
    #expect(site.bench.holds("file", content), "\(site.story(id))")
    #expect(site.server.arguments("RETR").count == 1)
  }

  @Test func aFileThatIsNotThereIsNotAskedForAgain() throws {
    let site = try FTPSite(FTPBehaviour(content) { $0.refusal = "550 no such file" })
    let id = site.fetch()
    guard case .failed(let failure)? = site.bench.state(id) else {
      Issue.record("\(site.story(id))")
      return
    }
    #expect(failure.short == "550 not found")
    #expect(site.server.arguments("RETR").count == 1)
  }
}
