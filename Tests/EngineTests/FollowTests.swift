// SPDX-License-Identifier: Apache-2.0
//
// A link that is a Metalink itself: the files that it names take its place, or it stays a file.

import Connections
import FaultServer
import Testing
import Transfers
import Workers

@testable import Engine

private let (one, two) = (Content(key: "one", size: 3000), Content(key: "two", size: 2_000_000))
private let text = "a document"

private func named(
  _ name: String?,
  at links: [String],
  _ content: Content? = nil
) -> FileDescription {
  FileDescription(
    name: name,
    size: content.map { ByteCount($0.size) },
    announced: Announced(
      checksum: content.map { checksum(.sha256, of: $0.bytes) },
      mirrors: links.map { link($0) }
    )
  )
}

@Suite struct FollowTests {
  /// Servers that have both files under their names, and the document under any other path.
  private func bench(
    _ files: [FileDescription] = [
      named("one.bin", at: ["http://two.test/one"], one),
      named("two.bin", at: ["http://one.test/two"]),
    ],
    problem: String? = nil,
    type: String = "application/metalink4+xml",
    text: String = text,
    in scratch: Scratch = Scratch()
  ) throws -> Bench {
    let described = DescribedFiles(files, problem: problem)
    let bench = try Bench(
      in: scratch,
      describe: {
        Array($0.prefix(10)) == Array("a document".utf8)
          ? described : DescribedFiles(problem: "no XML")
      }
    )
    bench.web.answer { asked in
      switch asked.path {
      case "/one": return Served(one).whole(asked)
      case "/two": return Served(two).whole(asked)
      default:
        let length = ResponseField("content-length", "\(text.utf8.count)")
        return [.head(200, [ResponseField("content-type", type), length]), .text(text)]
      }
    }
    return bench
  }

  /// Waits until nothing of the list moves any more; how it then stands.
  private func end(_ bench: Bench) -> [Transfer] {
    _ = bench.wait("all has ended") {
      bench.engine.all().allSatisfy { $0.state.isEnded && !bench.isRunning($0.id) }
    }
    return bench.engine.all()
  }

  private func asked(_ bench: Bench, _ path: String) -> Asked? {
    bench.web.asked.last { $0.path == path }
  }

  @Test(
    arguments: [
      ("/list", "application/metalink4+xml; charset=utf-8"), ("/list", "Application/Metalink+XML"),
      ("/list.meta4", "text/plain"), ("/list.METALINK", "application/octet-stream"),
    ]
  )
  func theFilesThatItNamesTakeItsPlace(_ path: String, _ type: String) throws {
    let bench = try bench(type: type)
    let id = bench.fetch(path)
    let all = end(bench)
    #expect(all.map(\.state.isFinished) == [true, true])
    #expect(bench.scratch.names == ["one.bin", "two.bin"])
    #expect(bench.holds("one.bin", one) && bench.holds("two.bin", two))
    #expect(all.first?.request.checksum == checksum(.sha256, of: one.bytes))
    #expect(bench.engine.transfer(id) == nil)
    #expect(bench.engine.current([id]) == all.map(\.id))
    #expect(bench.told.withLock { $0 }.first?.hasSuffix("its 2 files take its place") == true)
    #expect(try bench.remembered().map(\.id) == all.map(\.id))
  }

  @Test func whatIsCalledNoMetalinkIsNone() throws {
    let bench = try bench(type: "text/xml")
    bench.fetch("/list.xml")
    #expect(end(bench).map(\.name) == ["list.xml"])
    #expect(bench.file("list.xml") == Array(text.utf8))
    #expect(bench.told.withLock { $0 } == [])
  }

  @Test func aNameThatTheUserChoseKeepsTheMetalinkItself() throws {
    let bench = try bench()
    bench.fetch("/list.meta4") { $0.name = "mine.meta4" }
    _ = end(bench)
    #expect(bench.scratch.names == ["mine.meta4"])
  }

  @Test(
    arguments: [
      ([named("a", at: ["http://two.test/one"])], "line 3: not readable XML"),
      ([], nil), ([named("a", at: ["http://two.test/one"]), named("b", at: [])], nil),
      (Array(repeating: named("a", at: ["http://two.test/one"]), count: 1001), nil),
    ] as [([FileDescription], String?)]
  )
  func oneThatCannotBeUsedWholeStaysAFileAndIsTold(
    _ files: [FileDescription],
    _ problem: String?
  ) throws {
    let bench = try bench(files, problem: problem)
    let id = bench.fetch("/list.meta4")
    #expect(end(bench).map(\.id) == [id])
    #expect(bench.file("list.meta4") == Array(text.utf8))
    let told = bench.told.withLock { $0 }
    #expect(told.count == 1 && told[0].contains("not followed, kept as a file"), "\(told)")
    #expect(problem.map { told[0].hasSuffix($0) } != false)
    #expect(bench.engine.log(of: id).contains { $0.text.contains("not followed") })
  }

  @Test func oneThatIsTooLongStaysAFile() throws {
    let long = text + String(repeating: "x", count: RunContext.documentLimit)
    let bench = try bench(text: long)
    bench.fetch("/list.meta4")
    #expect(end(bench).map(\.name) == ["list.meta4"])
    #expect(bench.told.withLock { $0 }.first?.hasSuffix("longer than 4 MiB") == true)
  }

  @Test func secretsGoToItsOwnOriginOnly() throws {
    let bench = try bench()
    bench.fetch("/list.meta4") {
      $0.mirrors = [link("http://user:word@one.test/list.meta4")]
      $0.headers = [HeaderField(name: "Cookie", value: "a=b")].compactMap { $0 }
      $0.rateLimit = ByteRate(1 << 40)
    }
    let all = end(bench)
    #expect(all.map(\.request.rateLimit) == [ByteRate(1 << 40), ByteRate(1 << 40)])
    let (own, other) = (asked(bench, "/two")?.request, asked(bench, "/one")?.request)
    #expect(own?.headers.count == 1 && own?.link.login?.password == "word")
    #expect(other?.headers == [] && other?.link.login == nil)
  }

  @Test func overPlainHTTPOnlyWhatHasADigestIsFetchedForOneThatCameOverTLS() throws {
    let open = named("a", at: ["http://two.test/one"])
    let sound = named("b", at: ["http://two.test/one"], one)
    for (file, name) in [(open, "list.meta4"), (sound, "b")] {
      let bench = try bench([file])
      bench.fetch("/") { $0.mirrors = [link("https://one.test/list.meta4")] }
      #expect(end(bench).map(\.name) == [name])
    }
  }

  @Test func aFileWithoutANameThatIsAMetalinkIsNotFollowedAgain() throws {
    let bench = try bench([named(nil, at: ["http://one.test/list.meta4"])])
    bench.fetch("/list.meta4")
    #expect(end(bench).map(\.name) == ["list.meta4"])
    #expect(bench.file("list.meta4") == Array(text.utf8))
    #expect(bench.web.asked.count == 2)
  }

  @Test func whatIsOnTheListAlreadyIsCarriedOn() throws {
    let bench = try bench()
    let old = bench.engine.add([
      bench.request("/two") { $0.name = "two.bin" }
    ])
    let id = bench.fetch("/list.meta4")
    #expect(bench.wait("it is followed") { bench.engine.transfer(id) == nil })
    #expect(end(bench).count == 2)
    #expect(bench.engine.current([id]).last == old[0])
    #expect(bench.scratch.names == ["one.bin", "two.bin"])
  }

  @Test func oneThatWasCompleteBeforeTheProgramBeganAnewIsFollowedByItsContent() throws {
    let long = text + String(repeating: "x", count: 300_000)
    let first = try bench()
    first.web.answer { asked in
      let fields = [
        ResponseField("content-type", "application/metalink4+xml"),
        ResponseField("content-length", "\(long.utf8.count)"),
      ]
      let half = String(long.prefix(1000))
      return asked.turn == 1
        ? [.head(200, fields), .text("X" + long.dropFirst())]
        : [.head(200, fields), .text(half), .hold("repairing"), .text(half)]
    }
    let id = first.fetch("/list") { $0.checksum = checksum(.sha256, of: Array(long.utf8)) }
    #expect(first.web.reaches("repairing"))
    first.shutDown()
    let again = try bench(text: long, in: first.scratch)
    again.engine.start([id])
    #expect(again.wait("it is followed") { again.engine.transfer(id) == nil })
    #expect(end(again).map(\.name) == ["one.bin", "two.bin"])
    #expect(again.scratch.names == ["one.bin", "two.bin"])
  }

  @Test func itsDigestIsTheMetalinksOwn() throws {
    let bench = try bench()
    bench.fetch("/list.meta4") { $0.checksum = checksum(.sha256, of: Array("another".utf8)) }
    let failure = end(bench).first.flatMap { bench.waitFailed($0.id) }
    #expect(failure?.kind == .checksumDiffers)
    #expect(bench.web.asked.allSatisfy { $0.path == "/list.meta4" })
  }
}
