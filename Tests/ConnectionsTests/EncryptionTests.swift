// SPDX-License-Identifier: Apache-2.0
//
// https: which certificates are believed, what is said about the others, and how TLS ends.

import Connections
import FaultServer
import Testing
import Transfers

private let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
private let authority = Trust.file(TLSServer.path("authority"))

private func withTLS(
  _ certificate: String,
  _ text: String = answer,
  _ ending: TLSServer.Ending = .closeNotify,
  _ body: (TLSServer) -> Void
) {
  let server = TLSServer(certificate, answer: text, ending: ending)
  defer { server.stop() }
  body(server)
}

@Suite struct EncryptionTests {
  @Test func aCertificateOfAGivenAuthorityIsBelieved() {
    withTLS("good") { server in
      let fetched = fetch("https://127.0.0.1:\(server.port)/f") { $0.trust = authority }
      #expect(fetched.body == Array("hello".utf8))
      #expect(fetched.head?.isEncrypted == true)
      #expect((fetched.report?.timings.tls ?? .zero) > .zero)
    }
  }

  @Test func eachBadCertificateIsRefusedInItsOwnWords() {
    let cases: [(String, Trust)] = [
      ("good", .system), ("wrong-host", authority), ("expired", authority),
      ("self-signed", authority),
    ]
    var details: Set<String> = []
    for (certificate, trust) in cases {
      withTLS(certificate) { server in
        let failure = fetch("https://127.0.0.1:\(server.port)/f") { $0.trust = trust }.failure
        #expect(failure?.kind == .certificate)
        #expect(failure?.code == 60)
        #expect(server.requestCount == 0)
        details.insert(failure?.detail ?? "")
      }
    }
    #expect(details.count == cases.count)
  }

  @Test(arguments: ["wrong-host", "expired", "self-signed"])
  func anyCertificateIsBelievedOnlyWhenAsked(_ certificate: String) {
    withTLS(certificate) { server in
      let handles = HandleCache()
      let url = "https://127.0.0.1:\(server.port)/f"
      let trusting = fetch(url, with: BlockingConnection(handles: handles)) {
        $0.trust = .anything
      }
      #expect(trusting.body == Array("hello".utf8))
      let strict = fetch(url, with: BlockingConnection(handles: handles))
      #expect(strict.failure?.kind == .certificate)
    }
  }

  @Test func aMissingAuthorityFileIsACertificateFailure() {
    withTLS("good") { server in
      let failure = fetch("https://127.0.0.1:\(server.port)/f") {
        $0.trust = .file("/nowhere/authority.pem")
      }.failure
      #expect(failure?.kind == .certificate)
      #expect(failure?.code == 77)
    }
  }

  @Test func aRedirectToPlainHTTPIsRefused() {
    withServer { plain in
      plain.on("/f", .status(200, body: "secret"))
      let text = "HTTP/1.1 302 Found\r\nLocation: \(plain.url("/f"))\r\nContent-Length: 0\r\n\r\n"
      withTLS("good", text) { server in
        let failure = fetch("https://127.0.0.1:\(server.port)/f") { $0.trust = authority }.failure
        #expect(failure?.kind == .redirectRefused)
        #expect(plain.requests.isEmpty)
      }
    }
  }

  @Test func aRedirectFromPlainHTTPIsFollowed() {
    withTLS("good") { server in
      withServer { plain in
        plain.on("/f", .redirect(to: "https://127.0.0.1:\(server.port)/f"))
        let fetched = fetch(plain.url("/f")) { $0.trust = authority }
        #expect(fetched.body == Array("hello".utf8))
        #expect(fetched.head?.isEncrypted == true)
      }
    }
  }

  @Test func aCutBeforeTheLengthIsNoSuccess() {
    let text = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello"
    for ending in [TLSServer.Ending.closeNotify, .cut] {
      withTLS("good", text, ending) { server in
        let failure = fetch("https://127.0.0.1:\(server.port)/f") { $0.trust = authority }.failure
        #expect(failure?.remedy == .retry)
      }
    }
  }

  @Test func anEndWithoutLengthIsToldByTheFraming() {
    withTLS("good", "HTTP/1.1 200 OK\r\n\r\nhello", .cut) { server in
      let fetched = fetch("https://127.0.0.1:\(server.port)/f") { $0.trust = authority }
      #expect(fetched.head?.framing == .untilClose)
      #expect(fetched.head?.isEncrypted == true)
      #expect(fetched.body == Array("hello".utf8))
    }
  }

  @Test func aHandshakeThatIsNeverAnsweredIsATimeoutOfConnecting() {
    withServer { plain in
      let failure = fetch("https://127.0.0.1:\(plain.port)/f") {
        $0.timeouts.connect = .milliseconds(200)
      }.failure
      #expect(failure?.kind == .timedOut)
    }
  }

  @Test func plainHTTPToATLSPortFails() {
    withTLS("good") { server in
      #expect(fetch("http://127.0.0.1:\(server.port)/f").failure != nil)
    }
  }
}
