// SPDX-License-Identifier: Apache-2.0
//
// What an FTP server can answer, and the heads and failures that become of it.

import FaultServer
import Testing
import Transfers

@testable import Connections

private let content = Content(key: "ftp", size: 300_000)
private let date = "Fri, 02 Jan 2026 03:04:05 GMT"

/// Runs a test against an FTP server of its own.
func withFTP(
  _ behaviour: FTPBehaviour = FTPBehaviour(content),
  _ body: (FTPServer) throws -> Void
) rethrows {
  let server = FTPServer.start(behaviour)
  defer { server.stop() }
  try body(server)
}

private func from(_ start: Int64) -> (inout ConnectionRequest) -> Void {
  { $0.range = .from(start) }
}

@Suite struct FTPTests {
  @Test func aFileArrivesWithAHeadMadeOfSizeAndDate() {
    withFTP { server in
      let fetched = fetch(server.url("/dir/f%20g"), from(0))
      #expect(fetched.body == content.bytes)
      #expect(fetched.heads.count == 1)
      #expect(fetched.head?.status == 206)
      #expect(fetched.head?.contentRange == .range(0...299_999, total: 300_000))
      #expect(fetched.head?.validators == Validators(lastModified: date))
      #expect(fetched.report?.endedEarly == false)
      #expect(server.arguments("USER") == ["anonymous"])
      #expect(server.arguments("CWD") == ["dir"])
      #expect(server.arguments("RETR") == ["f g"])
      #expect(server.arguments("TYPE") == ["I"])
    }
  }

  @Test func aConnectionThatStandsIsUsedBeforeANewOneIsMade() {
    withFTP { server in
      let handles = HandleCache()
      // The pair that loses its connection is given back last.
      let stopped = fetch(
        server.url("/f"),
        with: BlockingConnection(handles: handles),
        onChunk: { _ in
          let inner = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
          #expect(inner.body == content.bytes)
          return .stop
        }
      )
      #expect(stopped.error == .stopped)
      server.behaviour.most = 1
      let last = fetch(server.url("/f"), with: BlockingConnection(handles: handles))
      #expect(last.body == content.bytes)
      #expect(server.connectionCount == 2)
    }
  }

  @Test func theWholeFileComesWithItsLength() {
    withFTP { server in
      let fetched = fetch(server.url("/f"))
      #expect(fetched.head?.status == 200)
      #expect(fetched.head?.contentLength == 300_000)
      #expect(fetched.body == content.bytes)
    }
  }

  @Test(arguments: [(1000, 70_000), (299_999, 300_000), (0, 1)] as [(Int64, Int64)])
  func aPartBeginsByRestAndIsCutAtItsEnd(_ start: Int64, _ end: Int64) {
    withFTP { server in
      let fetched = fetch(server.url("/f")) { $0.range = .part(ByteRange(start, end)) }
      #expect(fetched.head?.contentRange == .range(start...299_999, total: 300_000))
      #expect(fetched.body == content.bytes(start..<end))
      #expect(fetched.report?.received == ByteCount(end - start))
      #expect(server.arguments("REST") == (start == 0 ? [] : ["\(start)"]))
      #expect(server.arguments("ABOR").isEmpty)
    }
  }

  @Test func anEmptyFileIsOne() {
    withFTP(FTPBehaviour(Content(size: 0))) { server in
      let fetched = fetch(server.url("/f"), from(0))
      #expect(fetched.head?.status == 200)
      #expect(fetched.head?.contentLength == 0)
      #expect(fetched.report?.received == 0)
    }
  }

  @Test func withoutSizeThereAreNoRanges() {
    withFTP(FTPBehaviour(content) { $0.hasSize = false }) { server in
      let fetched = fetch(server.url("/f"), from(0))
      #expect(fetched.head?.status == 200)
      #expect(fetched.head?.contentLength == nil)
      #expect(fetched.body == content.bytes)
      let later = fetch(server.url("/f"), from(1000), onHead: { _ in .reject })
      #expect(later.head?.status == 416)
      #expect(later.error == .rejected)
      #expect(later.body.isEmpty)
    }
  }

  @Test func aSizeInWordsIsALengthButNoReasonForRanges() {
    withFTP(FTPBehaviour(content) { ($0.hasSize, $0.sizeInWords) = (false, 300_000) }) { server in
      let fetched = fetch(server.url("/f"), from(0))
      #expect(fetched.head?.status == 200)
      #expect(fetched.head?.contentLength == 300_000)
      #expect(fetched.body == content.bytes)
      #expect(fetch(server.url("/f"), from(1000), onHead: { _ in .reject }).head?.status == 416)
    }
  }

  @Test func withoutADateThereIsNoValidator() {
    withFTP(FTPBehaviour(content) { $0.date = nil }) { server in
      let fetched = fetch(server.url("/f"), from(0))
      #expect(fetched.head?.validators == Validators())
      #expect(fetched.head?.status == 206)
    }
  }

  @Test(arguments: [300_000, 300_001] as [Int64])
  func nothingFromTheEndOnIsAnAnswer(_ start: Int64) {
    withFTP { server in
      let fetched = fetch(server.url("/f"), from(start), onHead: { _ in .reject })
      #expect(fetched.head?.status == 416)
      #expect(fetched.head?.contentRange == .unsatisfied(total: 300_000))
      #expect(fetched.error == .rejected)
    }
  }

  @Test func refusedRestIsAnAnswer() {
    withFTP(FTPBehaviour(content) { $0.restart = .refused }) { server in
      let fetched = fetch(server.url("/f"), from(1000), onHead: { _ in .reject })
      #expect(fetched.head?.status == 416)
      #expect(fetched.head?.contentRange == nil)
      #expect(server.arguments("RETR").isEmpty)
    }
  }

  @Test func restThatIsAgreedToAndIgnoredIsFoundByTheFirstBytes() {
    withFTP(FTPBehaviour(content) { $0.restart = .ignored }) { server in
      let connection = BlockingConnection(handles: HandleCache())
      let begun = fetch(server.url("/f"), with: connection, from(0), onChunk: { _ in .enough })
      #expect(begun.head?.status == 206)
      let later = fetch(
        server.url("/f"),
        with: connection,
        from(1000),
        onHead: { _ in .reject }
      )
      #expect(later.head?.status == 416)
      #expect(later.body.isEmpty)
    }
  }

  @Test func aFileOfOneByteOverAndOverIsNotTakenForThat() {
    let zeros = Beginnings()
    let bytes = [UInt8](repeating: 0, count: 1000)
    bytes.withUnsafeBytes { zeros.note($0, of: "ftp://h/f") }
    #expect(!bytes.withUnsafeBytes { zeros.hold($0, of: "ftp://h/f") })
  }

  @Test func anEarlyEndIsFoundByTheSize() {
    withFTP(FTPBehaviour(content) { $0.cut = (after: 100_000, files: 1) }) { server in
      let fetched = fetch(server.url("/f"), from(0))
      #expect(fetched.failure?.kind == .cutShort)
      #expect(fetched.body == content.bytes(0..<100_000))
    }
  }

  @Test func withoutASizeTheServersWordIsTheEnd() {
    withFTP(FTPBehaviour(content) { ($0.hasSize, $0.end) = (false, "426 cut off") }) { server in
      #expect(fetch(server.url("/f"), from(0)).failure?.kind == .cutShort)
    }
  }

  @Test(arguments: [
    ("550 no such file", FailureKind.notFound, 550), ("450 busy", .serverBusy, 450),
    ("451 local trouble", .serverError, 451), ("426 lost", .connectionLost, 426),
    ("532 an account, please", .needsLogin, 532), ("504 not that", .rejected, 504),
  ])
  func aRefusalOfTheFileSaysWhatItIs(_ reply: String, _ kind: FailureKind, _ code: Int) {
    withFTP(FTPBehaviour(content) { $0.refusal = reply }) { server in
      let failure = fetch(server.url("/f")).failure
      #expect(failure?.kind == kind)
      #expect(failure?.code == code)
      #expect(failure?.detail.hasPrefix("the server answers \(code) ") == true)
    }
  }

  @Test(arguments: [
    ("421 too many", FailureKind.serverBusy), ("120 later", .badAnswer), ("hello", .timedOut),
    ("530 the maximum of clients is reached", .serverBusy),
  ])
  func aGreetingThatIsNoneIsTold(_ greeting: String, _ kind: FailureKind) {
    withFTP(FTPBehaviour(content) { $0.greeting = greeting }) { server in
      let failure = fetch(server.url("/f")) {
        $0.timeouts = Timeouts(firstByte: .milliseconds(kind == .timedOut ? 50 : 20_000))
      }.failure
      #expect(failure?.kind == kind)
    }
  }

  @Test func anAddressInAPassiveAnswerIsNotBelieved() {
    let spoilt = { (behaviour: inout FTPBehaviour) in
      behaviour.hasEPSV = false
      behaviour.passiveAddress = "192,0,2,1"
    }
    withFTP(FTPBehaviour(content, spoilt)) { server in
      #expect(fetch(server.url("/f")).body == content.bytes)
      #expect(server.arguments("PASV").count == 1)
    }
  }

  @Test func theControlConnectionIsKept() {
    withFTP { server in
      let connection = BlockingConnection(handles: HandleCache())
      for _ in 1...3 { #expect(fetch(server.url("/f"), with: connection).body == content.bytes) }
      #expect(server.connectionCount == 1)
      #expect(server.arguments("RETR").count == 3)
    }
  }

  @Test func aLinkCannotAskForTextOrCommands() throws {
    withFTP { server in
      #expect(fetch(server.url("/f;type=a")).body == content.bytes)
      #expect(server.arguments("TYPE") == ["I"])
      #expect(server.arguments("RETR") == ["f"])
    }
    for path in ["/", "/dir/", "/dir;type=d", ""] {
      #expect(throws: LinkError.directory) { try Link(parsing: "ftp://h\(path)") }
    }
    #expect(throws: LinkError.directory) { try Link(parsing: "sftp://h/dir/") }
    for scheme in ["ftp", "ftps", "sftp"] {
      #expect(throws: LinkError.controlByte) { try Link(parsing: "\(scheme)://h/a%0d%0aDELE%20b") }
    }
    #expect(try Link(parsing: "ftp://h/a;type=i").text == "ftp://h/a")
    #expect(try Link(parsing: "sftp://h/a;type=i").path == "/a;type=i")
  }
}
