// SPDX-License-Identifier: Apache-2.0
//
// Tests of what a transfer is called before and after the server has answered.

import Testing
import Transfers

@Suite struct `What a transfer is called` {
  @Test(
    arguments: [
      ("server.iso", "mine.iso", "/x/link.iso", "server.iso"),
      (nil, "mine.iso", "/x/link.iso", "mine.iso"),
      (nil, nil, "/x/link.iso", "link.iso"),
      (nil, nil, "/x/y/", "y"),
      (nil, nil, "/%E6%97%A5%20a.iso", "日 a.iso"),
      (nil, nil, "/%E6.iso", "%E6.iso"),
      (nil, nil, "/", "host.test"),
    ] as [(String?, String?, String, String)]
  )
  func `the name on disk comes first, then the user's, then the link's`(
    answered: String?,
    asked: String?,
    path: String,
    name: String
  ) {
    let origin = Origin(scheme: .http, host: "host.test", port: 80)
    let link = Link(text: "http://host.test\(path)", origin: origin, path: path, login: nil)
    let transfer = Transfer(
      id: TransferID(1),
      request: TransferRequest(mirrors: [link], directory: "/tmp", name: asked),
      addedAt: WallTime(seconds: 1),
      answer: answered.map {
        Answer(name: $0, total: nil, validators: Validators(), isResumable: false)
      }
    )
    #expect(transfer.name == name)
    #expect(transfer.total == nil)
    #expect(transfer.received == 0)
  }

  @Test func `a request asks its first link and cannot be made without one`() async {
    let origin = Origin(scheme: .http, host: "host.test", port: 80)
    let links = ["a", "b"].map {
      Link(text: "http://host.test/\($0)", origin: origin, path: "/\($0)", login: nil)
    }
    #expect(TransferRequest(mirrors: links, directory: "/tmp").link == links[0])
    await #expect(processExitsWith: .failure) {
      _ = TransferRequest(mirrors: [], directory: "/tmp")
    }
  }

  @Test func `transfers are ordered by age`() {
    #expect(([3, 1, 2].map { TransferID($0) }).sorted().map(\.number) == [1, 2, 3])
  }
}
