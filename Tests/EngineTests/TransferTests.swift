// SPDX-License-Identifier: Apache-2.0
//
// One transfer from its start to its end, over connections that behave as the test says.

import Connections
import FaultServer
import Storage
import Testing
import Transfers

@testable import Engine

private let content = Content(key: "transfer", size: 4 * 1024 * 1024 + 17)
private let small = Content(key: "small", size: 5000)

@Suite struct TransferTests {
  @Test func aWholeFileArrivesUnderItsName() throws {
    let bench = try Bench()
    bench.web.answer { Served(content).whole($0) }
    let id = bench.fetch("/dir/a%20file.bin")
    #expect(bench.waitFinished(id))
    #expect(bench.scratch.names == ["a file.bin"])
    #expect(bench.holds("a file.bin", content))
    #expect(bench.web.asked.count == 1)
    #expect(bench.web.asked.first?.request.range == .from(0))
    #expect(bench.engine.transfer(id)?.received == ByteCount(content.size))
  }

  @Test(arguments: [2, 4, 8, 16])
  func severalConnectionsMakeOneFile(connections: Int) throws {
    let bench = try Bench()
    bench.web.answer { asked in
      asked.start == 0
        ? Served(content).held(asked, after: 65_536, at: "others") : Served(content).whole(asked)
    }
    let id = bench.fetch("/file") { $0.connections = .fixed(connections) }
    #expect(bench.web.waitForRequests(2))
    bench.web.open("others")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(bench.web.asked.dropFirst().allSatisfy { $0.request.ifRange != nil })
  }

  @Test func aServerWithoutRangesGetsOneConnection() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      var served = Served(content)
      served.hasRanges = false
      return served.whole(asked)
    }
    let id = bench.fetch("/file") { $0.connections = .fixed(8) }
    #expect(bench.waitFinished(id))
    #expect(bench.web.asked.count == 1)
    #expect(bench.holds("file", content))
    #expect(bench.engine.transfer(id)?.answer?.isResumable == false)
  }

  @Test(arguments: [0, 1, 5000] as [Int64])
  func withoutALengthTheEndDecides(size: Int64) throws {
    let bench = try Bench()
    let content = Content(size: size)
    bench.web.answer { asked in
      var served = Served(content)
      served.hasRanges = false
      served.hasLength = false
      return served.whole(asked)
    }
    let id = bench.fetch("/file")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
    #expect(bench.state(id) == .finished(completion(.unverified)))
  }

  @Test(arguments: [true, false])
  func anEmptyFileIsAFile(hasRanges: Bool) throws {
    let bench = try Bench()
    bench.web.answer { asked in
      var served = Served(Content(size: 0))
      served.hasRanges = hasRanges
      return served.whole(asked)
    }
    let id = bench.fetch("/empty")
    #expect(bench.waitFinished(id))
    #expect(bench.file("empty") == [])
    #expect(bench.web.asked.count == 1)
  }

  @Test func anAnswerToAPartThatCarriesLessIsContinued() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      let served = Served(small)
      let range = served.range(asked)
      let less = range.lowerBound..<min(range.upperBound, range.lowerBound + 2000)
      let span = "bytes \(less.lowerBound)-\(less.upperBound - 1)/\(small.size)"
      return [.head(206, [ResponseField("content-range", span)]), .bytes(small, less)]
    }
    let id = bench.fetch("/file")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", small))
    #expect(bench.web.asked.count == 3)
  }

  @Test func refusedRangesAreAskedForWithoutOne() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      if asked.request.range != .whole { return [.head(416, [])] }
      return Served(small).whole(asked)
    }
    let id = bench.fetch("/file")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", small))
    #expect(bench.web.asked.count == 2)
  }

  @Test func foreignPartsAreNeverWritten() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      let served = Served(content)
      guard asked.start > 0 else { return served.held(asked, after: 65_536, at: "others") }
      // The file's beginning in place of the part.
      let span = "bytes 0-\(content.size - 1)/\(content.size)"
      return [
        .head(206, [ResponseField("content-range", span)]), .bytes(content, 0..<content.size),
      ]
    }
    let id = bench.fetch("/file") { $0.connections = .fixed(4) }
    #expect(bench.web.waitForRequests(2))
    bench.web.open("others")
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func aLengthThatIsNotReachedIsAFailure() throws {
    let bench = try Bench()
    bench.web.answer { asked in
      let there = Content(key: "transfer", size: 4000)
      var fields = [ResponseField("content-length", "5000")]
      fields.append(ResponseField("etag", "\"x\""))
      guard asked.start > 0 else {
        return [.head(200, fields), .bytes(there, 0..<4000), .fail(Failure(.cutShort))]
      }
      return [.fail(Failure(.connectionLost))]
    }
    let id = bench.fetch("/file")
    #expect(bench.pump(id))
    guard case .failed? = bench.state(id) else {
      Issue.record("not failed: \(String(describing: bench.state(id)))")
      return
    }
    #expect(!bench.scratch.names.contains("file"))
  }

  @Test(arguments: [3000, 600_000])
  func aNameThatIsTakenGetsANumber(size: Int64) throws {
    let bench = try Bench(jobs: 8)
    bench.web.answer { asked in
      let query = asked.request.link.text.split(separator: "?").last ?? ""
      return Served(Content(key: String(query), size: size)).held(
        asked,
        after: size / 2,
        at: "half"
      )
    }
    let requests = (0..<6).map { bench.request("/same.bin?\($0)") }
    let ids = bench.engine.add(requests)
    bench.engine.start(ids)
    #expect(
      bench.wait("all are told") { ids.allSatisfy { bench.engine.transfer($0)?.answer != nil } }
    )
    let names = ["same.bin"] + (1..<6).map { "same (\($0)).bin" }
    #expect(Set(ids.compactMap { bench.engine.transfer($0)?.name }) == Set(names))
    bench.web.open("half")
    for id in ids { #expect(bench.waitFinished(id)) }
    #expect(bench.scratch.names == names.sorted())
    for (number, id) in ids.enumerated() {
      let name = try #require(bench.engine.transfer(id)?.name)
      #expect(bench.holds(name, Content(key: "\(number)", size: size)))
    }
  }

  @Test func whatIsThereAlreadyIsNotTouched() throws {
    let bench = try Bench()
    bench.web.answer { Served(small).whole($0) }
    let first = bench.fetch("/file")
    #expect(bench.waitFinished(first))
    bench.web.answer { Served(small.version(2)).whole($0) }
    let second = bench.fetch("/file")
    #expect(bench.waitFinished(second))
    #expect(bench.holds("file", small))
    #expect(bench.holds("file (1)", small.version(2)))
  }

  @Test func bytesThatAreLostOnDiskAreNotCalledAFile() throws {
    // Chunks of this size are written as they come.
    let bench = try Bench(Web(chunk: 1024 * 1024))
    bench.web.answer { Served(content).whole($0) + [.hold("end")] }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("end"))
    bench.web.answer { Served(content).whole($0) }
    #expect(bench.wait("it is seen") { bench.scratch.names == ["file.part"] })
    truncateFile(bench.scratch.files + "/file.part", to: 1024)
    bench.web.open("end")
    #expect(bench.waitFailed(id)?.kind == .partialGone)
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.holds("file", content))
  }

  @Test func bytesThatAreLostWhilePausedAreFetchedAgain() throws {
    let bench = try Bench()
    let middle: Int64 = 1024 * 1024
    bench.web.answer { Served(content).held($0, after: middle, at: "middle") }
    let id = bench.fetch("/file")
    #expect(bench.web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    truncateFile(bench.scratch.files + "/file.part", to: 1000)
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    // The edge that is left has no hash of its own, so it is fetched again, then or before.
    #expect(bench.web.asked.dropFirst().allSatisfy { $0.start <= 1000 })
    #expect(bench.holds("file", content))
  }

  private func completion(_ verification: Verification) -> Completion {
    Completion(at: WallTime(seconds: 1_700_000_000), verification: verification)
  }
}

@Suite struct DigestTests {
  private let digest = checksum(.sha256, of: content.bytes)

  @Test(arguments: [1, 4])
  func aDigestThatAgreesIsTold(connections: Int) throws {
    let bench = try Bench()
    bench.web.answer { Served(content).whole($0) }
    let id = bench.fetch("/file") {
      $0.checksum = digest
      $0.connections = .fixed(connections)
    }
    #expect(bench.waitFinished(id))
    guard case .finished(let completion)? = bench.state(id) else { return }
    #expect(completion.verification == .checked(.sha256))
  }

  @Test func theServersOwnDigestIsChecked() throws {
    let bench = try Bench()
    let base64 = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
    bench.web.answer { asked in
      var served = Served(small)
      served.fields = [ResponseField("repr-digest", "sha-256=:\(base64):")]
      return served.whole(asked)
    }
    #expect(bench.waitFailed(bench.fetch("/file"))?.kind == .checksumDiffers)
  }

  @Test func wrongBytesAreKeptAsideAndFetchedAgain() throws {
    let bench = try Bench()
    bench.web.answer { Served(content.version(2)).whole($0) }
    let id = bench.fetch("/file") { $0.checksum = digest }
    #expect(bench.waitFailed(id)?.kind == .checksumDiffers)
    #expect(bench.scratch.names == ["file.bad"])
    #expect(bench.holds("file.bad", content.version(2)))
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    #expect(bench.scratch.names == ["file", "file.bad"])
    #expect(bench.holds("file", content))
  }

  @Test func aDigestIsCheckedOverWhatAnEarlierRunFetched() throws {
    let bench = try Bench()
    let middle: Int64 = 1024 * 1024
    bench.web.answer { Served(content).held($0, after: middle, at: "middle") }
    let id = bench.fetch("/file") { $0.checksum = digest }
    #expect(bench.web.reaches("middle"))
    bench.engine.pause([id])
    #expect(bench.waitPaused(id))
    bench.web.answer { Served(content).whole($0) }
    bench.engine.resume([id])
    #expect(bench.waitFinished(id))
    guard case .finished(let completion)? = bench.state(id) else { return }
    #expect(completion.verification == .checked(.sha256))
    #expect(bench.web.asked.last?.start == middle)
  }

  @Test(arguments: [true, false])
  func aFileThatIsCompleteAtTheStartIsStillChecked(isRight: Bool) throws {
    let scratch = Scratch()
    let identity = try leave(isRight ? small : small.version(2), in: scratch)
    do {
      let session = try Session.open(directory: scratch.state)
      var request = TransferRequest(
        mirrors: [link("http://one.test/file")],
        directory: scratch.files
      )
      request.checksum = checksum(.sha256, of: small.bytes)
      let answer = Answer(
        name: "file",
        total: ByteCount(small.size),
        validators: Validators(entityTag: "\"x\""),
        isResumable: true
      )
      let transfer = Transfer(
        id: TransferID(1),
        request: request,
        addedAt: WallTime(seconds: 0),
        answer: answer,
        file: identity,
        have: ByteRangeSet([ByteRange(0, small.size)])
      )
      try session.apply([.put(transfer)])
    }
    try check(scratch, isRight)
  }

  /// Leaves a partial file as an earlier program would.
  private func leave(_ content: Content, in scratch: Scratch) throws -> FileIdentity {
    let file = try PartialFile.create(in: scratch.files) { _ in "file" }
    let isWritten = content.bytes.withUnsafeBytes { (try? file.write($0, at: 0)) != nil }
    #expect(isWritten)
    return file.identity
  }

  private func check(_ scratch: Scratch, _ isRight: Bool) throws {
    let bench = try Bench(in: scratch)
    let id = TransferID(1)
    bench.engine.start([id])
    if isRight {
      #expect(bench.waitFinished(id))
      guard case .finished(let completion)? = bench.state(id) else { return }
      #expect(completion.verification == .checked(.sha256))
      #expect(bench.web.asked.isEmpty)
    } else {
      // No server answers that it could be compared with.
      #expect(bench.waitFailed(id)?.kind == .checksumDiffers)
    }
  }
}
