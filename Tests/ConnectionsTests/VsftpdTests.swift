// SPDX-License-Identifier: Apache-2.0
//
// Files from vsftpd, in the clear, over TLS from the first byte on, and over TLS that is offered.

import Connections
import FaultServer
import Testing
import Transfers

private let content = Content(key: "vsftpd", size: 300_000)

private func withVsftpd(_ encryption: VsftpdSite.Encryption, _ body: (VsftpdSite) -> Void) {
  let site = VsftpdSite(
    encryption,
    certificate: TLSServer.path("good"),
    key: TLSServer.path("key")
  )
  defer { site.server.stop() }
  site.put("f", content)
  body(site)
}

private func trusting(_ request: inout ConnectionRequest) {
  request.trust = .file(TLSServer.path("authority"))
  request.range = .from(0)
}

@Suite struct VsftpdTests {
  @Test(
    arguments: [
      (VsftpdSite.Encryption.none, nil), (.none, "anonymous:x"), (.always, nil),
      (.offered, "anonymous:x"),
    ] as [(VsftpdSite.Encryption, String?)]
  )
  func aFileArrives(_ encryption: VsftpdSite.Encryption, _ login: String?) {
    withVsftpd(encryption) { site in
      let fetched = fetch(site.url("f", login: login), trusting)
      #expect(fetched.body == content.bytes)
      #expect(fetched.head?.contentRange == .range(0...299_999, total: 300_000))
      #expect(fetched.head?.validators.lastModified != nil)
      #expect((fetched.report?.timings.tls ?? .zero > .zero) == (encryption != .none))
    }
  }

  @Test(arguments: [VsftpdSite.Encryption.none, .always])
  func aPartArrives(_ encryption: VsftpdSite.Encryption) {
    withVsftpd(encryption) { site in
      let fetched = fetch(site.url("f")) {
        trusting(&$0)
        $0.range = .part(ByteRange(100_000, 150_000))
      }
      #expect(fetched.body == content.bytes(100_000..<150_000))
    }
  }

  @Test(
    arguments: [
      (VsftpdSite.Encryption.always, nil), (.offered, "anonymous:x"),
    ] as [(VsftpdSite.Encryption, String?)]
  )
  func aCertificateIsChecked(_ encryption: VsftpdSite.Encryption, _ login: String?) {
    withVsftpd(encryption) { site in
      let url = site.url("f", login: login)
      #expect(fetch(url).failure?.kind == .certificate)
      #expect(fetch(url) { $0.trust = .anything }.body == content.bytes)
    }
  }

  @Test func aPlainServerBehindFTPSIsNotSpokenTo() {
    withVsftpd(.none) { site in
      let url = "ftps://localhost:\(site.server.port)/f"
      #expect(fetch(url, trusting).failure?.kind == .encryption)
    }
  }
}
