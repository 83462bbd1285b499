// SPDX-License-Identifier: Apache-2.0
//
// A document that the server names for a file: its digests and places help the download that is on.

import Connections
import FaultServer
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "described", size: 16 * 1024 * 1024 + 17)
private let begun: Int64 = 512 * 1024
private let pieceLength: Int64 = 1024 * 1024

private func description(of content: Content, size: Int64 = content.size) -> FileDescription {
  let digests = stride(from: 0, to: content.size, by: Int(pieceLength)).flatMap { start in
    let range = start..<min(start + pieceLength, content.size)
    return checksum(.sha1, of: content.bytes(range)).digest
  }
  return FileDescription(
    name: "file",
    size: ByteCount(size),
    announced: Announced(
      checksum: checksum(.sha256, of: content.bytes),
      mirrors: [link("http://two.test/copy")],
      pieces: PieceDigests(algorithm: .sha1, length: pieceLength, digests: digests)
    )
  )
}

@Suite struct DescriptionTests {
  /// A server that names a document; its first answer stands still after a while, the others before
  /// their first byte, until the gates are opened.
  private func bench(
    _ found: FileDescription = description(of: content),
    document: String = "<file.meta4>",
    text: String = "a document"
  ) throws -> Bench {
    let bench = try Bench(describe: {
      $0 == Array("a document".utf8) ? DescribedFiles([found]) : DescribedFiles()
    })
    bench.web.answer { asked in
      if asked.path == "/file.meta4" { return [.head(200, []), .text(text)] }
      if asked.request.link.origin.host == "two.test" { return Served(content).whole(asked) }
      var served = Served(content)
      let type = "type=\"application/metalink4+xml\""
      served.fields = [ResponseField("link", "\(document); rel=describedby; \(type)")]
      let isFirst = asked.turn == 1
      return isFirst
        ? served.held(asked, after: begun, at: "first") : [.hold("parts")] + served.whole(asked)
    }
    return bench
  }

  private func finish(_ bench: Bench, _ id: TransferID) -> Verification? {
    bench.web.open("parts")
    bench.web.open("first")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    guard case .finished(let completion)? = bench.state(id) else { return nil }
    return completion.verification
  }

  private func asked(_ bench: Bench, _ path: String) -> [Asked] {
    bench.web.asked.filter { $0.path == path }
  }

  @Test func itsDigestAndItsPlacesHelpAtOnceAndAreRemembered() throws {
    let bench = try bench()
    let id = bench.fetch("/file") { $0.connections = .fixed(2) }
    #expect(
      bench.wait("it is read") {
        bench.engine.log(of: id).contains { $0.text.contains("a Metalink describes the file") }
      }
    )
    bench.web.open("parts")
    #expect(
      bench.wait("the other place is used") {
        bench.engine.tick()
        return asked(bench, "/copy").count > 3
      }
    )
    let known = bench.engine.transfer(id)?.answer?.announced
    #expect(known == description(of: content).announced)
    #expect(finish(bench, id) == .checked(.sha256))
    #expect(asked(bench, "/file.meta4").map(\.request.headers) == [[]])
    let remembered = try bench.remembered().first?.answer?.announced
    #expect(remembered == known)
  }

  @Test func aDocumentAboutAFileOfAnotherLengthSaysNothing() throws {
    let bench = try bench(description(of: content.version(2), size: content.size + 1))
    let id = bench.fetch("/file") { $0.connections = .fixed(2) }
    #expect(bench.web.reaches("first"))
    #expect(bench.wait("it has been asked for") { !asked(bench, "/file.meta4").isEmpty })
    #expect(finish(bench, id) == .lengthOnly)
    #expect(asked(bench, "/copy").isEmpty)
  }

  @Test func aDocumentThatIsTooLongIsNotRead() throws {
    let long = String(repeating: "x", count: RunContext.documentLimit + 1)
    let bench = try bench(text: long)
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("first"))
    #expect(bench.wait("it has been asked for") { !asked(bench, "/file.meta4").isEmpty })
    #expect(finish(bench, id) == .lengthOnly)
  }

  @Test func itIsNotAskedForWhereSecretsAreNeeded() throws {
    let bench = try bench()
    let id = bench.fetch("/file") {
      $0.headers = [HeaderField(name: "Cookie", value: "a=b")].compactMap { $0 }
    }
    #expect(bench.web.reaches("first"))
    #expect(finish(bench, id) == .lengthOnly)
    #expect(asked(bench, "/file.meta4").isEmpty)
  }

  @Test func itIsNotAskedForInTheClearWhenTheFileCameOverTLS() throws {
    let bench = try bench(document: "<http://one.test/file.meta4>")
    let id = bench.fetch("/file") { $0.mirrors = [link("https://one.test/file")] }
    #expect(bench.web.reaches("first"))
    #expect(finish(bench, id) == .lengthOnly)
    #expect(asked(bench, "/file.meta4").isEmpty)
  }

  /// Fetches the file until the document that is named was asked for, then ends the program.
  private func endBeforeItIsRead() throws -> (Scratch, TransferID) {
    let bench = try bench()
    bench.web.answer { asked in
      if asked.path == "/file.meta4" { return [.hold("never")] }
      var served = Served(content)
      let type = "type=\"application/metalink4+xml\""
      served.fields = [ResponseField("link", "<file.meta4>; rel=describedby; \(type)")]
      return served.held(asked, after: begun, at: "first")
    }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("never") && bench.web.reaches("first"))
    bench.shutDown()
    return (bench.scratch, id)
  }

  @Test func whatHadNotComeIsAskedForInALaterRunEvenIfNobodyNamesItAgain() throws {
    let (scratch, id) = try endBeforeItIsRead()
    let found = description(of: content)
    let again = try Bench(in: scratch, describe: { _ in DescribedFiles([found]) })
    again.web.answer { asked in
      if asked.path == "/file.meta4" { return [.head(200, []), .text("a document")] }
      return Served(content).held(asked, after: begun, at: "first")
    }
    again.engine.start([id])
    #expect(again.wait("it is read") { again.engine.transfer(id)?.answer?.announced.pieces != nil })
    #expect(finish(again, id) == .checked(.sha256))
    #expect(asked(again, "/file.meta4").count == 1)
    #expect(try again.remembered().first?.answer?.announced.document == nil)
  }

  @Test func whatWasReadAndSaysNothingIsNotAskedForAgain() throws {
    let (scratch, id) = try endBeforeItIsRead()
    for count in [1, 0] {
      let again = try Bench(in: scratch)
      again.web.answer { asked in
        if asked.path == "/file.meta4" { return [.head(200, []), .text("a page")] }
        return Served(content).held(asked, after: begun, at: "first")
      }
      again.engine.start([id])
      #expect(again.web.reaches("first"))
      let isForgotten = again.wait("it is forgotten") {
        again.engine.transfer(id)?.answer?.announced.document == nil
      }
      #expect(isForgotten && asked(again, "/file.meta4").count == count)
      again.shutDown()
    }
  }

  @Test func aDocumentThatNeverComesHoldsUpNothing() throws {
    let bench = try bench()
    bench.web.answer { asked in
      if asked.path == "/file.meta4" { return [.hold("never")] }
      var served = Served(content)
      let type = "type=\"application/metalink4+xml\""
      served.fields = [ResponseField("link", "<file.meta4>; rel=describedby; \(type)")]
      return served.whole(asked)
    }
    let id = bench.fetch("/file")
    #expect(finish(bench, id) == .lengthOnly)
  }
}
