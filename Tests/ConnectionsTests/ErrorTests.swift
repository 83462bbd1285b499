// SPDX-License-Identifier: Apache-2.0
//
// What each of libcurl's codes becomes, and that no login is left in an error.

import CCurl
import FaultServer
import Testing
import Transfers

@testable import Connections

@Suite struct ErrorTests {
  @Test(
    arguments: [
      (1, FailureKind.badAnswer), (2, .unexpected), (3, .notALink), (4, .unexpected),
      (5, .proxyRefused), (6, .noSuchHost), (7, .cannotConnect), (8, .badAnswer), (9, .refused),
      (16, .badAnswer), (18, .cutShort), (22, .badAnswer), (23, .unwantedCoding), (26, .badNetrc),
      (27, .badAnswer), (28, .timedOut), (33, .wrongRange), (35, .encryption), (36, .wrongRange),
      (42, .unexpected), (43, .unexpected), (45, .cannotConnect), (47, .redirectLoop),
      (48, .unexpected), (49, .unexpected), (52, .connectionLost), (53, .encryption),
      (54, .encryption), (55, .connectionLost), (56, .connectionLost), (58, .certificate),
      (59, .encryption), (60, .certificate), (61, .unwantedCoding), (63, .wrongLength),
      (64, .encryption), (65, .connectionLost), (66, .encryption), (67, .needsLogin),
      (77, .certificate), (78, .notFound), (80, .encryption), (81, .unexpected),
      (82, .certificate), (83, .certificate), (89, .cannotConnect), (90, .certificate),
      (91, .certificate), (92, .badAnswer), (93, .unexpected), (94, .needsLogin),
      (95, .badAnswer), (96, .cannotConnect), (97, .proxyRefused), (98, .needsLogin),
      (99, .unexpected),
    ] as [(UInt32, FailureKind)]
  )
  func eachCodeHasItsKind(_ code: UInt32, _ kind: FailureKind) {
    #expect(FailureKind(CURLcode(rawValue: code)) == kind)
  }

  @Test(arguments: [
    ("Could not resolve host: h", "Could not resolve host: h"),
    ("bad 'http://bob:s3cr3t@h/x' here", "bad 'http://***@h/x' here"),
    ("a//b@c //u:p@q@h://x:y@z", "a//***@c //***@h://***@z"),
    ("mail bob@h", "mail bob@h"),
    ("//", "//"),
  ])
  func loginsAreMasked(_ words: String, _ shown: String) {
    #expect(maskingLogins(words) == shown)
  }

  @Test func aRefusedConnectionKeepsLibcurlsCodeAndWords() {
    let server = FaultServer.start()
    server.stop()
    let failure = fetch(server.url("/f")).failure
    #expect(failure?.kind == .cannotConnect)
    #expect(failure?.code == 7)
    #expect(failure?.detail.contains("127.0.0.1") == true)
  }

  @Test func aNameThatDoesNotExistIsNamed() {
    let failure = fetch("http://no-such-host.invalid/f").failure
    #expect(failure?.kind == .noSuchHost)
    #expect(failure?.detail.contains("no-such-host.invalid") == true)
  }
}
